import { BoundedMap } from '#eventsourcing';

/** A QR code without its white border. */
export interface QrCode {
  /** How many modules a line has, and how many lines there are. */
  readonly size: number;
  /** The lines, each of whole bytes. The first module is the highest bit of the first byte, and 1 is dark. */
  readonly lines: Uint8Array<ArrayBuffer>;
}

/** The lines of a QR code as a library draws them; true is dark. */
export type DrawCode = (text: string) => readonly (readonly boolean[])[];

/** The characters of the alphanumeric mode; the place of each is its value (ISO/IEC 18004, table 5). */
const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';
const VALUES = Int8Array.from({ length: 128 }, (_, code) => ALPHANUMERIC.indexOf(String.fromCharCode(code)));

/**
 * Draws QR codes out of earlier ones, because a library takes long for each.
 *
 * The codes of one mode and one length of text have the same version. If the level and the mask are fixed too, each bit of a
 * text changes always the same modules, whatever the other bits are: the mode, the length and the padding are the same, the
 * error correction is linear, and the mask is a constant. So if the bits of a text are the XOR of the bits of other texts, an
 * odd number of them, its code is the XOR of their codes.
 *
 * `Family` finds such texts by Gaussian elimination. A text that is no such XOR goes to the library, and from then on serves
 * others. So no text takes more than one call of the library, and soon none does: a family calls it for the first text, and
 * at most once for each bit in which its texts differ.
 */
export class QrPatterns {
  /** By mode and length. The texts of an installation differ in one place, so they have one length. */
  readonly #families = new BoundedMap<string, Family>(4);

  /** @param draw has a fixed level and mask, and takes one mode for the whole text and the smallest version with room */
  constructor(private readonly draw: DrawCode) {}

  /** The code that `draw` draws. */
  codeOf(text: string): QrCode {
    const draw = (): QrCode => packed(this.draw(text));
    // Digits alone have a mode of their own, and other characters than ASCII take several bytes.
    if (/^[0-9]*$/.test(text) || /[^ -~]/.test(text)) return draw();
    const pairs = pairsOf(text);
    const name = `${pairs === undefined ? 'bytes' : 'alphanumeric'} ${text.length}`;
    const bits = pairs ?? bytesOf(text);
    const family = this.#families.get(name);
    if (family !== undefined) return family.codeOf(bits, draw);
    const first = draw();
    this.#families.set(name, new Family(bits, first));
    return first;
  }
}

/** Bits of texts, and modules of codes. */
interface Row {
  readonly bits: Uint32Array;
  readonly modules: Uint32Array<ArrayBuffer>;
}

/** The codes of one mode and one length of text. */
class Family {
  readonly #first: Row;
  readonly #size: number;
  /** What texts and their codes differ in from the first. The place of each is its highest bit, which is its alone. */
  readonly #patterns: (Row | undefined)[] = [];

  constructor(bits: Uint32Array, { size, lines }: QrCode) {
    this.#first = { bits, modules: new Uint32Array(lines.buffer) };
    this.#size = size;
  }

  /** @param draw asks the library for the code of these bits */
  codeOf(bits: Uint32Array, draw: () => QrCode): QrCode {
    const rest = bits.slice();
    const modules = this.#first.modules.slice();
    xor(rest, this.#first.bits);
    for (let highest = highestBit(rest); highest !== undefined; highest = highestBit(rest)) {
      const pattern = this.#patterns[highest];
      if (pattern === undefined) return this.#learn(highest, { bits: rest, modules }, draw());
      xor(rest, pattern.bits);
      xor(modules, pattern.modules);
    }
    return { size: this.#size, lines: new Uint8Array(modules.buffer) };
  }

  /** Keeps the bits that no pattern has, and what they change: `modules` is the code without them. */
  #learn(highest: number, { bits, modules }: Row, code: QrCode): QrCode {
    // Otherwise the library has chosen another version than for the first text, and the patterns do not fit.
    if (code.size === this.#size) {
      xor(modules, new Uint32Array(code.lines.buffer));
      this.#patterns[highest] = { bits, modules };
    }
    return code;
  }
}

/** Changes the first into the XOR of both. */
function xor(words: Uint32Array, others: Uint32Array): void {
  for (let at = 0; at < words.length; at += 1) words[at] = (words[at] ?? 0) ^ (others[at] ?? 0);
}

function highestBit(words: Uint32Array): number | undefined {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? 0;
    if (word !== 0) return at * 32 + Math.clz32(word);
  }
  return undefined;
}

/** The bits of the alphanumeric mode: eleven for each pair of characters, and six for a last one that is left over. */
function pairsOf(text: string): Uint32Array | undefined {
  const pairs = new Uint16Array(Math.ceil(text.length / 4) * 2);
  for (let at = 0; at < text.length; at += 1) {
    const value = VALUES[text.charCodeAt(at)] ?? -1;
    if (value < 0) return undefined;
    pairs[at >> 1] = (pairs[at >> 1] ?? 0) * ALPHANUMERIC.length + value;
  }
  return new Uint32Array(pairs.buffer);
}

/** The bits of the byte mode. */
function bytesOf(text: string): Uint32Array {
  const bytes = new Uint8Array(Math.ceil(text.length / 4) * 4);
  Buffer.from(bytes.buffer).write(text, 'latin1');
  return new Uint32Array(bytes.buffer);
}

/** A code of the library. Its lines take whole words, as patterns are made of words. */
function packed(code: readonly (readonly boolean[])[]): QrCode {
  const size = code.length;
  const stride = Math.ceil(size / 8);
  const lines = new Uint8Array(Math.ceil((stride * size) / 4) * 4);
  code.forEach((line, y) => {
    line.forEach((dark, x) => {
      const at = y * stride + (x >> 3);
      if (dark) lines[at] = (lines[at] ?? 0) | (0x80 >> (x & 7));
    });
  });
  return { size, lines };
}
