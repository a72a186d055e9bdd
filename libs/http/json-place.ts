import { visit } from 'jsonc-parser';

/** Characters that are searched for the fault where the parser does not say its place: whoever sends more pays for it. */
const SEARCHED = 4_096;

/**
 * Where a text stops being JSON, such as ` at line 3, column 14`; empty where it is too long to be searched. What stands
 * there is not told: it may be a card's number.
 * @param error what `JSON.parse` said
 */
export function placeIn(text: string, { message }: Error): string {
  if (message === 'Unexpected end of JSON input') return ': it ends too early';
  const said = /JSON at position \d+ \(line (\d+) column (\d+)\)$/.exec(message);
  if (said !== null) return atPlace(Number(said[1]), Number(said[2]));
  return text.length > SEARCHED ? '' : searched(text);
}

const atPlace = (line: number, column: number): string => ` at line ${line}, column ${column}`;

class Found extends Error {
  constructor(readonly place: string) {
    super(place);
  }
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
