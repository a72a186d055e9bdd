import { List } from 'immutable';
import { wholeNumber } from './whole-number.js';

/** Bits in one number: below 2 ** 53, so arithmetic on it is exact. */
const PER_WORD = 48;
const WORDS_PER_PAGE = 64;
const PER_PAGE = PER_WORD * WORDS_PER_PAGE;
/** Pages in one part for a snapshot: 32 KiB. */
const PAGES_PER_PART = 64;
/** Bytes of a page: its numbers, and what V8 adds to an array and to its place in the list. */
const PAGE_BYTES = WORDS_PER_PAGE * 8 + 64;
const EMPTY_BYTES = 200;
/** Every number of a set is below this. The places of the pages before it take 11 MB. */
const NUMBERS_BELOW = 2 ** 32;

/** Numbers of a page. Plain arrays: a small typed array is much slower to copy. */
type Page = readonly number[];

/**
 * A persistent set of whole numbers from 0, one bit for each number up to the largest. A change leaves the old version as it
 * is, and copies one page of half a kilobyte.
 */
export class Bits {
  static readonly none = new Bits(List());

  private constructor(private readonly pages: List<Page>) {}

  /** The set that had these parts. @throws RangeError if no set has these parts */
  static from(parts: Iterable<Float64Array>): Bits {
    const pages: Page[] = [];
    for (const part of parts) {
      for (let at = 0; at < part.length; at += WORDS_PER_PAGE) pages.push(pageFrom(part, at));
    }
    return new Bits(List(pages));
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return EMPTY_BYTES + this.pages.size * PAGE_BYTES;
  }

  /** How many numbers it has. It looks at every word. */
  get size(): number {
    let size = 0;
    for (const page of this.pages) {
      if (page === EMPTY_PAGE) continue;
      for (const word of page) size += onesOf(Math.floor(word / HALF)) + onesOf(word % HALF);
    }
    return size;
  }

  has(number: number): boolean {
    const word = this.pages.get(pageOf(number))?.[wordOf(number)] ?? 0;
    return Math.floor(word / valueOf(number)) % 2 === 1;
  }

  /**
   * The set with this number.
   * @throws RangeError for a number that is not whole, is negative, or is 2 ** 32 or more
   */
  with(number: number): Bits {
    wholeNumber('a number of a set of bits', number, NUMBERS_BELOW);
    if (this.has(number)) return this;
    const at = pageOf(number);
    const page = (this.pages.get(at) ?? EMPTY_PAGE).slice();
    page[wordOf(number)] = (page[wordOf(number)] ?? 0) + valueOf(number);
    if (at < this.pages.size) return new Bits(this.pages.set(at, page));
    // All missing pages are the same one.
    return new Bits(
      this.pages.withMutations((pages) => {
        while (pages.size < at) pages.push(EMPTY_PAGE);
        pages.push(page);
      }),
    );
  }

  /** All of it, in parts of at most 32 KiB. */
  *parts(): Generator<Float64Array> {
    for (let at = 0; at < this.pages.size; at += PAGES_PER_PART) {
      const pages = this.pages.slice(at, at + PAGES_PER_PART);
      const part = new Float64Array(pages.size * WORDS_PER_PAGE);
      pages.forEach((page, index) => part.set(page, index * WORDS_PER_PAGE));
      yield part;
    }
  }
}

const EMPTY_PAGE: Page = Array.from({ length: WORDS_PER_PAGE }, () => 0);

/** Half a word: bitwise operators work on 32 bits. */
const HALF = 2 ** (PER_WORD / 2);

/** How many bits of a number of 32 bits are one. */
function onesOf(number: number): number {
  const pairs = number - ((number >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** The page at this place of a part. @throws RangeError if it is not whole */
function pageFrom(part: Float64Array, at: number): Page {
  const page = [...part.subarray(at, at + WORDS_PER_PAGE)];
  wholeNumber('what a page of a set of bits lacks', WORDS_PER_PAGE - page.length, 1);
  for (const word of page) wholeNumber('a word of a set of bits', word, 2 ** PER_WORD);
  return page;
}

function pageOf(number: number): number {
  return Math.floor(number / PER_PAGE);
}

function wordOf(number: number): number {
  return Math.floor((number % PER_PAGE) / PER_WORD);
}

/** The value of the number's bit in its word. */
function valueOf(number: number): number {
  return 2 ** (number % PER_WORD);
}
