import { beginning, isolated, oneLine } from '#kernel';
import { CURRENCY } from '#purchasing/model';

/** Characters of a text of people in a line: a title, a name, a reason. */
const MOST_OF_A_TEXT = 60;
/** Characters of a list of names in a line. */
const MOST_OF_A_LIST = 100;

/** `12.50 USD`. */
export function money(cents: number): string {
  return `${(cents / 100).toFixed(2)} ${CURRENCY}`;
}

/** `1 unit` or `2 units`. */
export function counted(count: number, name: string, ending = 's'): string {
  return `${count} ${name}${count === 1 ? '' : ending}`;
}

/** `1 unit is` or `2 units are`. */
export function thereAre(count: number, name: string, of = ''): string {
  return `${counted(count, name)}${of} ${count === 1 ? 'is' : 'are'}`;
}

/** A text that people or other services wrote, as a short part of a line. */
export function said(text: string): string {
  const line = oneLine(text);
  return isolated(line.length <= MOST_OF_A_TEXT ? line : `${beginning(line, MOST_OF_A_TEXT - 1)}…`);
}

/** `title, tags and value`. Counts the last ones if they are many. */
export function joined(names: readonly string[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const name of names) {
    length += name.length + 2;
    if (length > MOST_OF_A_LIST) break;
    shown.push(name);
  }
  const left = names.length - shown.length;
  const last = left > 0 ? `${left} more` : shown.pop();
  return shown.length === 0 ? (last ?? 'nothing') : `${shown.join(', ')} and ${last}`;
}
