import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'uqr';
import { BoundedMap } from '#eventsourcing';

/** Pixels per module: with four, a module takes half a byte of a line. */
const SCALE = 4;
/** The width of the white border, in modules. */
export const QR_BORDER = 4;
const MASK = 3;

const drawn = new BoundedMap<string, Buffer>(2_000);

/** A QR code as a PNG of one bit per pixel, with level L and a fixed mask: always the same bytes (ruling B7). */
export function qrPng(text: string): Buffer {
  let png = drawn.get(text);
  if (png === undefined) {
    png = draw(text);
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
  const data = qrModules(text);
  const pixels = (data.length + 2 * QR_BORDER) * SCALE;
  // The first byte of a line is its filter: none. In the other bytes a set bit is a white pixel.
  const stride = 1 + Math.ceil(pixels / 8);
  const raw = Buffer.alloc(stride * pixels, 0xff);
  for (let line = 0; line < raw.length; line += stride) raw[line] = 0;
  data.forEach((modules, y) => {
    const start = (QR_BORDER + y) * SCALE * stride;
    modules.forEach((dark, x) => {
      if (!dark) return;
      const at = start + 1 + ((QR_BORDER + x) >> 1);
      raw[at] = (raw[at] ?? 0) & ((QR_BORDER + x) % 2 === 0 ? 0x0f : 0xf0);
    });
    for (let copy = 1; copy < SCALE; copy += 1) raw.copyWithin(start + copy * stride, start, start + stride);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels, 0);
  header.writeUInt32BE(pixels, 4);
  // One bit of grey per pixel.
  header[8] = 1;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(raw, { memLevel: 4, windowBits: 12 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
