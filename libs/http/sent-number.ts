/** Characters of a number that are compared, and of one that is sent as text. */
export const LONGEST_NUMBER = 40;

/**
 * A number of a JSON body that has more in its text than a JavaScript number keeps: a fraction, an exponent, the sign of a
 * zero, or digits beyond ±(2^53−1). Bodies have it in place of the number, so that a schema decides by the text (ruling I1).
 * Schemas for numbers read its value; those for text refuse it.
 */
export class SentNumber {
  readonly #source: string;

  /** @param source the number as it stands in the body */
  constructor(source: string) {
    this.#source = source;
  }

  /** The nearest JavaScript number. */
  get value(): number {
    return nearest(this.#source);
  }

  /** Whether `value`, written as a decimal, is the number that was sent. */
  get isExact(): boolean {
    return isExact(this.#source);
  }

  /** The number as it was sent. */
  toString(): string {
    return this.#source;
  }

  /** So that what is made from parameters as JSON, such as the key of a remembered page, differs for different numbers. */
  toJSON(): string {
    return this.#source;
  }
}

/** Whether a JavaScript number has nothing more in its JSON text: an integer within ±(2^53−1), and not the negative zero. */
export function isPlainNumber(input: unknown): input is number {
  return Number.isSafeInteger(input) && !Object.is(input, -0);
}

/** Whether it is a number that does not count as text: not an integer, or one that may have lost digits (ruling I1). */
export function isOtherNumber(input: unknown): input is SentNumber | number {
  return input instanceof SentNumber || (typeof input === 'number' && !isPlainNumber(input));
}

/** Whether a number in a JSON text can be read as a JavaScript number without losing any of its text (ruling I1). */
export function isPlainText(source: string): boolean {
  return /^(?:0|-?[1-9]\d{0,15})$/.test(source) && Number.isSafeInteger(Number(source));
}

/** Whether the JavaScript number of a decimal text has the same decimal value. One that is too long to compare has not. */
export function isExact(text: string): boolean {
  if (text.length > LONGEST_NUMBER) return false;
  return canonical(text) === canonical(String(Number(text)));
}

/** The JavaScript number that is nearest to a decimal text; 0 for the negative zero. */
export function nearest(text: string): number {
  return Number(text) + 0;
}

/** Equal numbers have equal texts: sign, digits without zeros at either end, and exponent. Infinity has none of them. */
function canonical(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', power = '0'] = DECIMAL.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return whole === '' ? undefined : '0';
  return `${sign}${kept}e${Number(power) - fraction.length + digits.length - kept.length}`;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
