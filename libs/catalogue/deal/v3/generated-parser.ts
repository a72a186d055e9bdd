import { createRequire } from 'node:module';
import type peggy from 'peggy';
import { BadQuery } from '#http';

const require = createRequire(import.meta.url);

type Keyword = 'fields' | 'filter';

/**
 * The parser of a grammar, whose results are what the grammar's actions build. It is made for the first text: a start does
 * not wait for it.
 * @param keyword the keyword of the query that the texts stand behind, for the refusals
 * @param help what the refusals say beside what is wrong
 * @returns a parser that throws BadQuery with what is wrong and the character, counted from 1, where it is (ruling B5)
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
      // Without a list of what could have stood there, an action of the grammar has refused what it read.
      const wrong = expected === null ? message : `expected ${alternatives(expected)}`;
      throw wrongAt(keyword, wrong, text, location.start.offset, help);
    }
  };
}

/** @param offset in code units, from 0, as parsers count */
export function wrongAt(keyword: Keyword, wrong: string, text: string, offset: number, help?: string): BadQuery {
  return new BadQuery(`${keyword}= ${wrong} at character ${Array.from(text.slice(0, offset)).length + 1}`, help);
}

type Expected = peggy.parser.Expectation;

/** What could have stood there, each once, in the order of the grammar. */
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
