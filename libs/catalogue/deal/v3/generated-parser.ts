import { createRequire } from 'node:module';
import type peggy from 'peggy';
import { BadQuery } from '#http';

const require = createRequire(import.meta.url);

type Keyword = 'fields' | 'filter';

/**
 * The parser of a grammar; it returns what the grammar's actions build. The first text generates the parser, so that a
 * start does not wait for it.
 * @param keyword the keyword in the query, for refusals
 * @param help what a refusal adds to the fault
 * @returns a parser that throws BadQuery with the fault and its character, counted from 1 (ruling B5)
 */
export function parserOf<Tree>(keyword: Keyword, grammar: string, help: string): (text: string) => Tree {
  let made: peggy.Parser | undefined;
  return (text) => {
    const parser = (made ??= (require('peggy') as typeof peggy).generate(grammar));
    try {
      return parser.parse(text) as Tree;
    } catch (error) {
      if (!(error instanceof parser.SyntaxError)) throw error;
      const { expected, location, message } = error;
      // Without a list of expectations, an action of the grammar has refused what it read.
      const wrong = expected === null ? message : `expected ${alternatives(expected)}`;
      throw wrongAt(keyword, wrong, text, location.start.offset, help);
    }
  };
}

/** @param offset of the fault, in code units from 0 */
export function wrongAt(keyword: Keyword, wrong: string, text: string, offset: number, help?: string): BadQuery {
  return new BadQuery(`${keyword}= ${wrong} at character ${Array.from(text.slice(0, offset)).length + 1}`, help);
}

type Expected = peggy.parser.Expectation;

/** The expectations, each once, in the order of the grammar. */
function alternatives(expected: readonly Expected[]): string {
  const names = [...new Set(expected.map(nameOf))];
  const last = names.pop() ?? 'something else';
  return names.length === 0 ? last : `${names.join(', ')} or ${last}`;
}

function nameOf(expected: Expected): string {
  switch (expected.type) {
    case 'literal':
      return `"${expected.text}"`;
    case 'end':
      return 'the end';
    case 'other':
      return expected.description;
    default:
      return 'another character';
  }
}
