import type { ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { NumberBits } from './number-bits.js';
import { fingerprint, Tally } from './tally.js';
import { integer, object, objects, texts, type Data } from './values.js';

/** Checks that each redemption code of a deal is given once (ruling D10). It keeps no text of a code. */
export class CodeCheck {
  /** The number of the first code of each event, by its revision. */
  readonly #first = new Map<number, { readonly from: number; readonly count: number }>();
  readonly #known = new Tally();
  readonly #given = new NumberBits();
  /** Two halves of a fingerprint for each code. */
  #prints = new Uint32Array(256);
  #codes = 0;
  #last: number | null = null;
  /** Codes that nobody has been given. */
  #left = 0;

  constructor(private readonly faults: Faults) {}

  /** @returns how many codes an event adds to the pool */
  add(event: ExportedEvent): number {
    const { faults } = this;
    const { revision, previous, codes } = event.data;
    const added = texts(codes);
    if (revision !== event.revision) faults.add(event, 'codes', 'it names another revision than its own');
    if ((previous ?? null) !== this.#last)
      faults.add(event, 'codes', 'it names another event as the one with codes before');
    this.#last = event.revision;
    this.#first.set(event.revision, { from: this.#codes, count: added.length });
    for (const [index, code] of added.entries()) {
      if (this.#known.add(code) > 1) faults.add(event, 'codes', `the pool had its code ${index} before`);
      this.#note(code);
    }
    this.#left += added.length;
    return added.length;
  }

  /** Gives the codes of a sale, a checkout or a resale. @returns how many it has */
  give(event: ExportedEvent): number {
    const coupons = objects(event.data['coupons']);
    const due = Math.min(coupons.length, this.#left);
    let given = 0;
    for (const { code } of coupons) {
      if (code === null || code === undefined) continue;
      given += 1;
      const number = this.#numberOf(object(code));
      if (number === undefined) this.faults.add(event, 'codes', 'it gives a code that no event has added');
      else if (this.#given.has(number)) this.faults.add(event, 'codes', `it gives ${nameOf(object(code))} again`);
      else this.#given.add(number);
    }
    if (given !== due)
      this.faults.add(event, 'codes', 'it does not give a code to each unit, as far as there are codes');
    this.#left -= given;
    return given;
  }

  /** Takes back the codes of a checkout or resale that came to nothing. */
  takeBack(coupons: readonly Data[]): void {
    for (const { code } of coupons) {
      if (code === null || code === undefined) continue;
      this.#left += 1;
      const number = this.#numberOf(object(code));
      if (number !== undefined) this.#given.delete(number);
    }
  }

  /** Whether this is the text of the code that a sale gave. */
  isTextOf(code: unknown, text: unknown): boolean {
    if (code === null || code === undefined) return text === null || text === undefined;
    const number = this.#numberOf(object(code));
    if (number === undefined || typeof text !== 'string') return false;
    const { high, low } = fingerprint(text);
    return this.#prints[2 * number] === high && this.#prints[2 * number + 1] === low;
  }

  #note(code: string): void {
    if (2 * this.#codes >= this.#prints.length) {
      const larger = new Uint32Array(2 * this.#prints.length);
      larger.set(this.#prints);
      this.#prints = larger;
    }
    const { high, low } = fingerprint(code);
    this.#prints[2 * this.#codes] = high;
    this.#prints[2 * this.#codes + 1] = low;
    this.#codes += 1;
  }

  #numberOf({ revision, index }: Data): number | undefined {
    const run = this.#first.get(integer(revision));
    const at = typeof index === 'number' ? integer(index) : -1;
    return run === undefined || at < 0 || at >= run.count ? undefined : run.from + at;
  }
}

/** A code by its place: its text is a secret. */
const nameOf = ({ revision, index }: Data): string => `code ${integer(index)} of revision ${integer(revision)}`;
