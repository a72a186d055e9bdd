import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const HANDLER =
  /@(?<kind>Command|Query)Handler\((?<of>\w+)\)\s*export class \w+ implements I(?<by>\w+)Handler<(?<typed>[^{]*)> \{/g;

/** What a file's handlers and calls of a bus say of results by hand: the compiler checks only results that a command names. */
function untyped(text: string): readonly string[] {
  const handlers = [...text.matchAll(HANDLER)].map(({ groups }) => groups ?? {});
  const unnamed = handlers
    .filter(({ kind, of }) => !new RegExp(`\\bclass ${of}(<[^{]*>)? extends ${kind}<`).test(text))
    .map(({ of, kind }) => `${of} extends no ${kind}`);
  const stated = handlers
    .filter(({ kind, of, by, typed }) => by !== kind || typed !== of)
    .map(({ of }) => `the handler of ${of} states its result`);
  const called = [...text.matchAll(/\b(?:commands|queries)\.execute<\s*(\w+)[^(]*,[^(]*>\(/g)];
  return [...unnamed, ...stated, ...called.map(([, of]) => `a call of ${of} states its result`)];
}

describe('the result of a command or query', () => {
  const texts = globSync('libs/**/*.ts')
    .filter((file) => !file.endsWith('.spec.ts'))
    .map((file) => readFileSync(file, 'utf8'));

  it('is named by its class alone', () => {
    const decorated = texts.flatMap((text) => [...text.matchAll(/^@(Command|Query)Handler\(/gm)]);
    expect(decorated.length).toBeGreaterThan(70);
    expect(texts.flatMap((text) => [...text.matchAll(HANDLER)])).toHaveLength(decorated.length);
    expect(texts.flatMap(untyped)).toEqual([]);
  });

  it('is missed if a class names none, or if a handler or a call states another', () => {
    const handled = (typed: string): string =>
      `@CommandHandler(Move)\nexport class MoveHandler implements ICommandHandler<${typed}> {}`;
    const typed = 'export class Move extends Command<Done<string>> {}\n';
    expect(untyped(`${typed}${handled('Move')}`)).toEqual([]);
    expect(untyped(`export class Move {}\n${handled('Move')}`)).toEqual(['Move extends no Command']);
    expect(untyped(`${typed}${handled('Move, Done<null>')}`)).toEqual(['the handler of Move states its result']);
    expect(untyped('this.commands.execute<Move, Done<null>>(move)')).toEqual(['a call of Move states its result']);
    expect(untyped('this.commands.execute<Done<Row>>(move)')).toEqual([]);
  });
});
