/** Two numbers that stand for a text: together 72 bits of its hash. */
export interface Hash {
  /** 52 bits. */
  readonly low: number;
  /** 20 bits. */
  readonly high: number;
}

const SEEDS = [1_779_033_703, 3_144_134_277, 1_013_904_242, 2_773_480_762] as const;
const FACTORS = [597_399_067, 2_869_860_233, 951_274_213, 2_716_044_179] as const;

/**
 * A hash of 72 bits (the first of the 128 of cyrb128, which keeps all of its state in each step). It is the same in every
 * process and for ever. It does not resist somebody who chooses the text: use it for ids that only the service makes, or where
 * a look into the log follows.
 */
export function hashOf(text: string): Hash {
  let [a, b, c, d]: [number, number, number, number] = [...SEEDS];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = b ^ Math.imul(a ^ code, FACTORS[0]);
    b = c ^ Math.imul(b ^ code, FACTORS[1]);
    c = d ^ Math.imul(c ^ code, FACTORS[2]);
    d = a ^ Math.imul(d ^ code, FACTORS[3]);
  }
  a = Math.imul(c ^ (a >>> 18), FACTORS[0]);
  b = Math.imul(d ^ (b >>> 22), FACTORS[1]);
  c = Math.imul(a ^ (c >>> 17), FACTORS[2]);
  d = Math.imul(b ^ (d >>> 19), FACTORS[3]);
  a ^= b ^ c ^ d;
  return { low: (a >>> 0) * 2 ** 20 + (b >>> 12), high: (c ^ a) >>> 12 };
}
