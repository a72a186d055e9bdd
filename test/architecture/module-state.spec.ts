import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

/**
 * What modules keep between two calls, with the reason. Everything else lives in objects that a start makes: two services in
 * one process (as in specs, see test/support/hosts.ts) have nothing in common, and a restart has nothing but its data folder.
 */
const KEPT: Readonly<Record<string, string>> = {
  'libs/adapters/machine/this-machine.ts pool': 'random bytes that nobody has used yet',
  'libs/adapters/machine/this-machine.ts used': 'how many of them are used',
  'libs/adapters/smtp/smtp-mailer.ts TRIES': 'belongs to a mail, and goes with it',
  'libs/catalogue/region/zip-places.ts states': 'parts of a package’s list, read once; a pure function of it',
  'libs/eventsourcing/scheduling/slices.ts turns': 'belongs to a source of time; empty while no divided work runs',
  'libs/http/pictures.ts known': 'the result of a pure function',
  'libs/http/read-body.ts expecting': 'belongs to a request, and goes with it',
  'libs/http/read-body.ts whole': 'belongs to a request, and goes with it',
  'libs/http/request-log.ts breaks': 'belongs to a request, and goes with it',
  'libs/http/request-log.ts refusals': 'belongs to a request, and goes with it',
  'libs/http/time.ts ABBREVIATIONS': 'the formats of time zones; a pure function of a zone',
  'libs/purchasing/coupon/coupon.qr.ts drawn': 'the result of a pure function',
  'libs/purchasing/coupon/print/symbols.ts drawn': 'the result of a pure function',
};

/** Methods that change a collection. */
const CHANGES = new Set(['set', 'add', 'delete', 'clear', 'push', 'unshift', 'splice', 'pop', 'shift', 'fill']);

/** The names of variables and static fields of a module whose value can change. */
function keptBy(tree: ts.SourceFile): readonly string[] {
  const constants = new Set<string>();
  const found = new Set<string>();
  for (const statement of tree.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const isConst = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    for (const { name } of statement.declarationList.declarations) {
      if (!ts.isIdentifier(name)) continue;
      if (isConst) constants.add(name.text);
      else found.add(name.text);
    }
  }
  const visit = (node: ts.Node): void => {
    const isStatic =
      ts.isPropertyDeclaration(node) && node.modifiers?.some((each) => each.kind === ts.SyntaxKind.StaticKeyword);
    const isReadonly =
      ts.isPropertyDeclaration(node) && node.modifiers?.some((each) => each.kind === ts.SyntaxKind.ReadonlyKeyword);
    if (isStatic === true && isReadonly !== true) found.add(node.name.getText());
    const target = changed(node);
    if (target !== undefined && constants.has(target)) found.add(target);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return [...found].map((name) => `${tree.fileName} ${name}`);
}

/** The name of the variable that a node changes: `x.set(…)`, `x.y = …`, `x[y] = …`. */
function changed(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression, name } = node.expression;
    return CHANGES.has(name.text) && ts.isIdentifier(expression) ? expression.text : undefined;
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return undefined;
  const { left } = node;
  if (!ts.isPropertyAccessExpression(left) && !ts.isElementAccessExpression(left)) return undefined;
  return ts.isIdentifier(left.expression) ? left.expression.text : undefined;
}

describe('the modules of the product', () => {
  it('keep nothing between two calls but what is listed', () => {
    // The page of the console lives in one tab of a browser, and ends with it.
    const files = globSync('libs/**/*.ts').filter(
      (file) => !file.endsWith('.spec.ts') && !file.endsWith('.thread.ts') && !/^libs.console.page\b/.test(file),
    );
    const kept = files.flatMap((file) =>
      keptBy(ts.createSourceFile(file.replaceAll('\\', '/'), readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)),
    );
    expect(kept.toSorted()).toEqual(Object.keys(KEPT).toSorted());
  });
});
