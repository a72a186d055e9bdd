/** A generator of pseudo-random numbers (sfc32): the same seed gives the same numbers on every machine. */
export class Seeded {
  readonly #state: Uint32Array;

  /** @param seed any text; different texts give unrelated numbers */
  constructor(private readonly seed: string) {
    this.#state = hashed(seed);
    for (let round = 0; round < 12; round += 1) this.#next();
  }

  /** A generator of its own for a part of the world, so that one part's numbers do not depend on the others. */
  of(part: string): Seeded {
    return new Seeded(`${this.seed}/${part}`);
  }

  /** A number from 0 to below 1. */
  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** A number from `least` to below `most`. */
  between(least: number, most: number): number {
    return least + this.fraction() * (most - least);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of the list. @throws RangeError for an empty list */
  one<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('there is nothing to choose from');
    return list[Math.floor(this.fraction() * list.length)] as T;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at += 4) {
      const number = this.#next();
      for (let index = at; index < Math.min(at + 4, length); index += 1) bytes[index] = number >>> (8 * (index - at));
    }
    return bytes;
  }

  #next(): number {
    const s = this.#state;
    const [a = 0, b = 0, c = 0, d = 0] = s;
    const sum = (a + b + d) >>> 0;
    s[3] = (d + 1) >>> 0;
    s[0] = b ^ (b >>> 9);
    s[1] = (c + (c << 3)) >>> 0;
    s[2] = (((c << 21) | (c >>> 11)) + sum) >>> 0;
    return sum;
  }
}

/** Four words from a text (cyrb128). */
function hashed(text: string): Uint32Array {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ code, 597399067);
    b = c ^ Math.imul(b ^ code, 2869860233);
    c = d ^ Math.imul(c ^ code, 951274213);
    d = a ^ Math.imul(d ^ code, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18), 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  return Uint32Array.of(a ^ b ^ c ^ d, b ^ a, c ^ a, d ^ a);
}
