import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'uqr';
import { BoundedMap, ownBytes, generationBytes } from '#eventsourcing';
import { QrPatterns } from './qr-patterns.js';

/** Pixels per module: with four, a module takes half a byte of a line. */
const SCALE = 4;
/** The width of the white border, in modules. */
export const QR_BORDER = 4;
const MASK = 3;

/** A byte of a line for each value of two modules: a set bit is a white pixel. */
const PIXELS = [0xff, 0xf0, 0x0f, 0x00];

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const END = chunk('IEND', Buffer.alloc(0));

/** Bytes that a picture costs beside itself and its text, about. */
const BESIDE = 200;

/** A cache: whoever claims a coupon gets its picture, and it is asked for again when it is listed, printed and redeemed. */
const drawn = new BoundedMap<string, Buffer>(
  generationBytes('qrCodes'),
  (png, text) => png.length + text.length + BESIDE,
);
const patterns = new QrPatterns(qrModules);

/** A QR code as a PNG of one bit per pixel, with level L and a fixed mask: always the same bytes (ruling B7). */
export function qrPng(text: string): Buffer {
  let png = drawn.get(text);
  if (png === undefined) {
    png = ownBytes(draw(text));
    drawn.set(text, png);
  }
  return png;
}

/** The lines of a code without its white border, with level L and a fixed mask; true is dark. */
export function qrModules(text: string): readonly (readonly boolean[])[] {
  // The library takes longer for its border than for the rest of the code.
  return encode(text, { ecc: 'L', boostEcc: false, maskPattern: MASK, border: 0 }).data;
}

function draw(text: string): Buffer {
  const { size, lines } = patterns.codeOf(text);
  const pixels = (size + 2 * QR_BORDER) * SCALE;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels, 0);
  header.writeUInt32BE(pixels, 4);
  // One bit of grey per pixel.
  header[8] = 1;
  const data = deflateSync(rawLines(size, lines, pixels), { memLevel: 4, windowBits: 12, chunkSize: 1_024 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), END]);
}

/** The lines of the picture, each after its filter, which is none. */
function rawLines(size: number, lines: Uint8Array, pixels: number): Buffer {
  const stride = 1 + Math.ceil(pixels / 8);
  const raw = Buffer.alloc(stride * pixels, 0xff);
  for (let line = 0; line < raw.length; line += stride) raw[line] = 0;
  const bytes = Math.ceil(size / 8);
  for (let y = 0; y < size; y += 1) {
    const start = (QR_BORDER + y) * SCALE * stride + 1 + QR_BORDER / 2;
    for (let x = 0; x < size; x += 2) {
      const pair = ((lines[y * bytes + (x >> 3)] ?? 0) >> (6 - (x & 7))) & 3;
      const at = start + (x >> 1);
      for (let copy = 0; copy < SCALE; copy += 1) raw[at + copy * stride] = PIXELS[pair] ?? 0;
    }
  }
  return raw;
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), 8 + data.length);
  return bytes;
}
