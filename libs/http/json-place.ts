import { visit } from 'jsonc-parser';

/** The longest text, in characters, that is searched for the fault if the parser does not give its place. */
const SEARCHED = 4_096;

/**
 * The place where a text stops being JSON, such as ` at line 3, column 14`; empty if the text is too long to search. It does
 * not quote the text, which may hold a card number.
 * @param error the error of `JSON.parse`
 */
export function placeIn(text: string, { message }: Error): string {
  if (message === 'Unexpected end of JSON input') return ': it ends too early';
  const match = /JSON at position \d+ \(line (\d+) column (\d+)\)$/.exec(message);
  if (match !== null) return atPlace(Number(match[1]), Number(match[2]));
  return text.length > SEARCHED ? '' : searched(text);
}

const atPlace = (line: number, column: number): string => ` at line ${line}, column ${column}`;

class Found extends Error {
  constructor(readonly place: string) {
    super(place);
  }
}

/**
 * The place where a JSON text names something that its object has named before, such as ` at line 3, column 14`; empty if the
 * text is too long to search.
 */
export function placeOfRepeatedName(text: string): string {
  if (text.length > SEARCHED) return '';
  const names: Set<string>[] = [];
  let place = '';
  visit(text, {
    onObjectBegin: () => void names.push(new Set()),
    onObjectEnd: () => void names.pop(),
    onObjectProperty(name, _offset, _length, line, column) {
      const known = names.at(-1);
      if (known?.has(name) === true && place === '') place = atPlace(line + 1, column + 1);
      known?.add(name);
    },
  });
  return place;
}

function searched(text: string): string {
  const options = { disallowComments: true, allowTrailingComma: false };
  try {
    visit(
      text,
      {
        onError(_error, _offset, _length, line, column) {
          throw new Found(atPlace(line + 1, column + 1));
        },
      },
      options,
    );
  } catch (error) {
    if (error instanceof Found) return error.place;
    throw error;
  }
  return '';
}
