import { createHash } from 'node:crypto';
import ts from 'typescript';
import type { Planted } from './replacement.js';
import { occurrences } from './replacement.js';

export type Kind =
  | 'negate'
  | 'drop-left'
  | 'drop-right'
  | 'boundary'
  | 'equality'
  | 'remove-guard'
  | 'off-by-one'
  | 'drop-default';

/** One generated change of a condition or a guard. */
export interface Mutant extends Planted {
  readonly kind: Kind;
  /** The path of names that leads to the function, such as `CommandLoop.#decide`. */
  readonly within: string;
}

/** The text of a node, and what replaces it. */
interface Change {
  readonly kind: Kind;
  readonly node: ts.Node;
  readonly to: string;
}

const OTHER: Readonly<Partial<Record<ts.SyntaxKind, readonly [Kind, string]>>> = {
  [ts.SyntaxKind.LessThanToken]: ['boundary', '<='],
  [ts.SyntaxKind.LessThanEqualsToken]: ['boundary', '<'],
  [ts.SyntaxKind.GreaterThanToken]: ['boundary', '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken]: ['boundary', '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: ['equality', '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: ['equality', '==='],
};

/**
 * All mutants of one source file, in the order of the text. The same text gives the same mutants. An id holds the file, the
 * function, the kind, the ordinal among the mutants of that kind in the function, and a hash of all of these with the text of
 * the function.
 * @param file from the root of the tree
 */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2024, true);
  const ordinals = new Map<string, number>();
  const results = new Set<string>();
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    for (const change of changesAt(node)) {
      const { within, body } = enclosing(node);
      const key = `${within}:${change.kind}`;
      const ordinal = (ordinals.get(key) ?? 0) + 1;
      ordinals.set(key, ordinal);
      const start = change.node.getStart();
      const result = text.slice(0, start) + change.to + text.slice(change.node.end);
      // Two ways to the same text are one mutant.
      if (results.has(result)) continue;
      results.add(result);
      const hash = createHash('sha256').update([file, body, change.kind, ordinal].join('\n')).digest('hex').slice(0, 8);
      const place = file.replace(/^libs\//, '').replace(/\.ts$/, '');
      mutants.push({
        id: `${place}:${within}:${change.kind}:${ordinal}:${hash}`,
        kind: change.kind,
        within,
        description: described(change),
        replacements: [{ file, ...anchored(text, start, change.node.end, change.to) }],
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

function changesAt(node: ts.Node): readonly Change[] {
  if (ts.isIfStatement(node)) {
    const removed: Change[] =
      node.elseStatement === undefined && leaves(node.thenStatement)
        ? [
            {
              kind: 'remove-guard',
              node,
              to: ts.isBlock(node.parent) || ts.isCaseOrDefaultClause(node.parent) ? '' : ';',
            },
          ]
        : [];
    return [...negated(node.expression), ...removed];
  }
  if (ts.isConditionalExpression(node)) return negated(node.condition);
  if (ts.isNumericLiteral(node) && isCompared(node)) {
    return [{ kind: 'off-by-one', node, to: String(Number(node.text) + 1) }];
  }
  if (ts.isBigIntLiteral(node) && isCompared(node)) {
    return [{ kind: 'off-by-one', node, to: `${BigInt(node.text.slice(0, -1)) + 1n}n` }];
  }
  if (!ts.isBinaryExpression(node)) return [];
  const { left, right, operatorToken } = node;
  const other = OTHER[operatorToken.kind];
  if (other !== undefined) return [{ kind: other[0], node: operatorToken, to: other[1] }];
  switch (operatorToken.kind) {
    case ts.SyntaxKind.AmpersandAmpersandToken:
    case ts.SyntaxKind.BarBarToken:
      return [
        // Braces after an arrow would be a block.
        { kind: 'drop-left', node, to: ts.isObjectLiteralExpression(right) ? `(${right.getText()})` : right.getText() },
        { kind: 'drop-right', node, to: left.getText() },
      ];
    case ts.SyntaxKind.QuestionQuestionToken:
      return [{ kind: 'drop-default', node, to: left.getText() }];
    default:
      return [];
  }
}

/** The opposite of a condition. That of a comparison with `===` or `!==` is a mutant of the kind `equality` already. */
function negated(condition: ts.Expression): readonly Change[] {
  const inner = withoutParentheses(condition);
  if (ts.isBinaryExpression(inner) && OTHER[inner.operatorToken.kind]?.[0] === 'equality') return [];
  const isNot = ts.isPrefixUnaryExpression(inner) && inner.operator === ts.SyntaxKind.ExclamationToken;
  return [{ kind: 'negate', node: condition, to: isNot ? inner.operand.getText() : `!(${condition.getText()})` }];
}

function withoutParentheses(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ? withoutParentheses(node.expression) : node;
}

/** Whether a statement is, or ends with, a jump out of the code around it. */
function leaves(statement: ts.Statement | undefined): boolean {
  if (statement === undefined) return false;
  if (ts.isBlock(statement)) return leaves(statement.statements.at(-1));
  return (
    ts.isThrowStatement(statement) ||
    ts.isReturnStatement(statement) ||
    ts.isContinueStatement(statement) ||
    ts.isBreakStatement(statement)
  );
}

/** Whether a literal is an operand of a comparison, or of a sum in one. */
function isCompared(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent)) return isCompared(parent);
  if (!ts.isBinaryExpression(parent)) return false;
  const operator = parent.operatorToken.kind;
  if (operator === ts.SyntaxKind.PlusToken || operator === ts.SyntaxKind.MinusToken) return isCompared(parent);
  return OTHER[operator] !== undefined;
}

/** The nearest function with a name: the path of names that leads to it, and its text. */
function enclosing(node: ts.Node): { readonly within: string; readonly body: string } {
  const names: string[] = [];
  let body: string | undefined;
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    const name = nameOf(at);
    if (name === undefined) continue;
    names.unshift(name);
    if (!ts.isClassDeclaration(at)) body ??= at.getText();
  }
  return { within: names.join('.'), body: body ?? node.getSourceFile().text };
}

/** The name that a node gives to the code in it; undefined if it gives none. */
function nameOf(node: ts.Node): string | undefined {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return node.name?.text;
  if (ts.isMethodDeclaration(node) || ts.isAccessor(node)) return node.name.getText();
  const { parent } = node;
  const isFunction = ts.isArrowFunction(node) || ts.isFunctionExpression(node);
  if (isFunction && (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent))) return parent.name.getText();
  const isTop = ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent);
  const { initializer } = isTop ? node : {};
  const isNamedAlready = initializer !== undefined && ts.isFunctionLike(initializer);
  return isTop && !isNamedAlready ? node.name.getText() : undefined;
}

function described({ kind, node, to }: Change): string {
  const operator = ts.isBinaryExpression(node.parent) && node.parent.operatorToken === node;
  const number = ts.isNumericLiteral(node) || ts.isBigIntLiteral(node);
  const shown = operator || number ? node.parent : node;
  const before = shown.getText();
  const at = node.getStart() - shown.getStart();
  const after = before.slice(0, at) + to + before.slice(at + node.getText().length);
  const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
  return kind === 'remove-guard'
    ? `without ${inOneLine(before)}`
    : `${inOneLine(after)} instead of ${inOneLine(before)}`;
}

/**
 * A replacement of the text from `start` to `end`. If that text occurs again in the file, whole lines around it are added
 * until it is unique.
 */
function anchored(
  text: string,
  start: number,
  end: number,
  to: string,
): { readonly from: string; readonly to: string } {
  let [first, last] = [start, end];
  for (let after = true; occurrences(text, text.slice(first, last)) > 1; after = !after) {
    const lineStart = text.lastIndexOf('\n', first - 1) + 1;
    const lineEnd = endOfLine(text, last);
    const isWhole = first === lineStart && last === lineEnd;
    if (!isWhole) [first, last] = [lineStart, lineEnd];
    else if (after) last = endOfLine(text, last + 1);
    else first = text.lastIndexOf('\n', first - 2) + 1;
  }
  return { from: text.slice(first, last), to: text.slice(first, start) + to + text.slice(end, last) };
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}
