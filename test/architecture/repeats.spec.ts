import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

/** Finds what a first try wrote, or completes what another command decided: `Writer`. */
const ASKS = /\bwriter\.(repeat|complete)\(/;
/** How the page of a command says what becomes of a repeat. */
const SAYS = /\brepeat\b/i;

interface Handler {
  readonly name: string;
  /** Its own code, and the comment of its command. */
  readonly text: string;
  readonly comment: string;
  /** Files of ours that it uses something of. */
  readonly uses: readonly string[];
}

/** The handlers of a file, and the files that the file imports something from, by name. */
function handlersIn(file: string, text: string): readonly Handler[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const imported = importsOf(file, source);
  const classes = source.statements.filter(ts.isClassDeclaration);
  return classes.flatMap((each) => {
    const handles = ts
      .getDecorators(each)
      ?.map((decorator) => /^@CommandHandler\((\w+)\)/.exec(decorator.getText())?.[1]);
    const command = handles?.find((name) => name !== undefined);
    if (command === undefined) return [];
    const own = each.getText();
    const page = [each, classes.find(({ name }) => name?.text === command)].map((node) => node?.getFullText() ?? '');
    return {
      name: command,
      text: own,
      comment: page.map((full) => full.slice(0, full.search(/\b(export )?class\b/))).join('\n'),
      uses: [...imported].filter(([name]) => new RegExp(`\\b${name}\\b`).test(own)).map(([, from]) => from),
    };
  });
}

function importsOf(file: string, source: ts.SourceFile): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const each of source.statements.filter(ts.isImportDeclaration)) {
    const names = each.importClause?.namedBindings;
    const from = (each.moduleSpecifier as ts.StringLiteral).text;
    if (names === undefined || !ts.isNamedImports(names) || !from.startsWith('.')) continue;
    for (const { name } of names.elements) found.set(name.text, resolve(dirname(file), from.replace(/\.js$/, '.ts')));
  }
  return found;
}

/** The commands whose handlers ask nothing about an earlier try, and do not say why not. */
function silent(sources: ReadonlyMap<string, string>): readonly string[] {
  const asks = (file: string, seen: ReadonlySet<string>): boolean => {
    const text = sources.get(file);
    if (text === undefined || seen.has(file)) return false;
    if (ASKS.test(text)) return true;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    return [...new Set(importsOf(file, source).values())].some((from) => asks(from, new Set([...seen, file])));
  };
  return [...sources].flatMap(([file, text]) =>
    handlersIn(file, text)
      .filter(({ text: own, comment, uses }) => {
        const isAsked = ASKS.test(own) || uses.some((from) => asks(from, new Set([file]))) || functionsAsk(text, own);
        return !isAsked && !SAYS.test(comment);
      })
      .map(({ name }) => name),
  );
}

/** Whether a function of the handler's file asks, which the handler calls. */
function functionsAsk(text: string, own: string): boolean {
  const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true);
  return source.statements
    .filter(ts.isFunctionDeclaration)
    .some((each) => ASKS.test(each.getText()) && own.includes(`${each.name?.text ?? ' '}(`));
}

describe('A11: what becomes of a command that runs again', () => {
  const files = readdirSync('libs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => join('libs', file));
  const sources = new Map(files.map((file) => [resolve(file), readFileSync(file, 'utf8')]));

  it('is asked by its handler, or its comment says why not', () => {
    const handlers = [...sources].flatMap(([file, text]) => handlersIn(file, text));
    expect(handlers.length).toBeGreaterThan(40);
    expect(silent(sources)).toEqual([]);
  });

  it('is missed in a handler that neither asks nor says', () => {
    const command = 'export class Move {}\n@CommandHandler(Move)\nexport class MoveHandler { run() { RUN } }';
    const of = (run: string, comment = ''): readonly string[] =>
      silent(
        new Map([
          ['/x/move.ts', `import { go } from './go.js';\n${comment}${command.replace('RUN', run)}`],
          ['/x/go.ts', 'import { on } from "./on.js"; export const go = () => on();'],
          ['/x/on.ts', 'export const on = () => writer.complete(x);'],
        ]),
      );
    expect(of('writer.execute();')).toEqual(['Move']);
    expect(of('writer.repeat();')).toEqual([]);
    expect(of('go();')).toEqual([]);
    expect(of('writer.execute();', '/** A repeat finds it by its id. */\n')).toEqual([]);
  });
});
