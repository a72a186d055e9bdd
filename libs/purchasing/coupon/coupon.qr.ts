import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'uqr';
import { BoundedMap } from '#eventsourcing';

/** Pixels per module, and modules of white around the code. */
const SCALE = 4;
const BORDER = 4;
const MASK = 3;

const drawn = new BoundedMap<string, Buffer>(2_000);

/** A QR code as a PNG of one bit per pixel: level L, a fixed mask, the same bytes every time (ruling B7). */
export function qrPng(text: string): Buffer {
  let png = drawn.get(text);
  if (png === undefined) {
    png = draw(text);
    drawn.set(text, png);
  }
  return png;
}

function draw(text: string): Buffer {
  const { data, size } = encode(text, { ecc: 'L', boostEcc: false, maskPattern: MASK, border: BORDER });
  const pixels = size * SCALE;
  const stride = 1 + Math.ceil(pixels / 8);
  const raw = Buffer.alloc(stride * pixels);
  data.forEach((modules, y) => {
    const start = y * SCALE * stride;
    // The first byte of a line names its filter: none.
    for (let x = 0; x < pixels; x += 1) {
      const byte = start + 1 + (x >> 3);
      if (modules[Math.floor(x / SCALE)] !== true) raw[byte] = (raw[byte] ?? 0) | (0x80 >> (x & 7));
    }
    for (let copy = 1; copy < SCALE; copy += 1) raw.copy(raw, start + copy * stride, start, start + stride);
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
