import { beginning, closed, isolated, oneLine } from '#kernel';
import { MAIL_TEXTS } from '#kernel/bounds';

/** A mail that is ready, but for who gets it. */
export interface Written {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** A deal in a mail. Amounts are cents. */
export interface DealInMail {
  readonly title: string;
  readonly merchant: string | null;
  readonly price: number | null;
  readonly value: number | null;
  /** The URL of its picture. */
  readonly picture: string | null;
  /** Where it can be seen. */
  readonly link: string;
}

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** One line, cut to so many characters as a reader counts them. It does not turn the words around it. */
export function short(text: string, most: number): string {
  return isolated(shortened(oneLine(text), most));
}

/** A line of words of ours and texts that are isolated already, cut in the same way. */
export function shortLine(words: string, most: number): string {
  return closed(shortened(words, most));
}

function shortened(line: string, most: number): string {
  if (line.length <= most) return line;
  // Long texts are cut roughly first: one character has rarely more units.
  const characters = Array.from(CHARACTERS.segment(beginning(line, most * 8)), ({ segment }) => segment);
  if (characters.length <= most) return characters.join('');
  return `${characters
    .slice(0, most - 1)
    .join('')
    .trimEnd()}…`;
}

export function greeting(firstName: string | null): string {
  const name = short(firstName ?? '', MAIL_TEXTS.name);
  return isVisible(name) ? `Hello ${name},` : 'Hello,';
}

function isVisible(text: string): boolean {
  return /[^\p{C}\p{Z}]/u.test(text);
}

/** The words of a deal that every mail shows. */
export interface DealWords {
  readonly title: string;
  readonly merchant: string | null;
  readonly price: string | null;
  /** What it is worth, behind the price. */
  readonly worth: string | null;
  readonly picture: string | null;
  readonly link: string;
  readonly [name: string]: string | null;
}

export function dealWords({ title, merchant, price, value, picture, link }: DealInMail): DealWords {
  return {
    title: short(title, MAIL_TEXTS.title),
    merchant: merchant === null || !isVisible(merchant) ? null : short(merchant, MAIL_TEXTS.name),
    price: price === null ? null : amount(price),
    worth: price === null || value === null || value <= price ? null : `for a value of ${amount(value)}`,
    // Mail programs show nothing else, and other schemes could run something.
    picture: picture !== null && /^https?:\/\//i.test(picture) ? picture : null,
    link,
  };
}

/** Its lines in the text of a mail. */
export function dealLines({ title, merchant, price, worth, link }: DealWords): string {
  const price_ = price === null ? null : [price, worth].filter((each) => each !== null).join(' ');
  return [title, merchant, price_, link].filter((each) => each !== null).join('\n');
}

function amount(cents: number): string {
  return DOLLARS.format(cents / 100);
}

/** Paragraphs as the text of a mail. */
export function paragraphs(...each: readonly (string | null)[]): string {
  return `${each.filter((paragraph) => paragraph !== null).join('\n\n')}\n`;
}
