import { inflateSync } from 'node:zlib';
import jsqr from 'jsqr';

/**
 * The text of a QR code in a PNG. Reads only the kind of PNG that the service writes: grey, one bit per pixel, no filter, not
 * interlaced; throws for any other.
 */
export function readQrPng(png: Buffer): string {
  if (png.subarray(0, 8).toString('hex') !== '89504e470d0a1a0a') throw new Error('not a PNG');
  const parts = new Map<string, Buffer>();
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    parts.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const header = parts.get('IHDR');
  const data = parts.get('IDAT');
  if (header === undefined || data === undefined || header[8] !== 1 || header[9] !== 0) throw new Error('another PNG');
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const lines = inflateSync(data);
  const stride = 1 + Math.ceil(width / 8);
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y += 1) {
    if (lines[y * stride] !== 0) throw new Error('a line with a filter');
    for (let x = 0; x < width; x += 1) {
      const white = ((lines[y * stride + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
      if (white === 0) pixels.fill(0, 4 * (y * width + x), 4 * (y * width + x) + 3);
    }
  }
  const found = jsqr.default(pixels, width, height);
  if (found === null) throw new Error('no QR code in the picture');
  return found.data;
}
