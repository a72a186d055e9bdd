import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { qrModules } from './coupon.qr.js';
import { type DrawCode, type QrCode, QrPatterns } from './qr-patterns.js';

const textOf = (unit: string, size: { readonly minLength: number; readonly maxLength: number }): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...Array.from(unit)), ...size });

/** One text for all modules, because texts are compared fast. */
const drawing = (modules: ReturnType<DrawCode>): string =>
  modules.map((line) => line.map((dark) => (dark ? '#' : '.')).join('')).join('\n');

function drawingOf({ size, lines }: QrCode): string {
  const bytes = Math.ceil(size / 8);
  const places = Array.from({ length: size }, (_, place) => place);
  return drawing(places.map((y) => places.map((x) => (((lines[y * bytes + (x >> 3)] ?? 0) << (x & 7)) & 0x80) !== 0)));
}

describe('B7: codes that are made from earlier ones', () => {
  it.each([
    ['in alphanumeric mode', 'HTTP://DEALS.EXAMPLE/C/', 32],
    ['in alphanumeric mode, of an odd length', 'HTTP://DEALS2.EXAMPLE/C/0', 32],
    ['in byte mode', 'https://deals.example/shop/C/', 32],
    ['in byte mode, of the largest version', `https://deals.example/${'shop/'.repeat(560)}C/`, 3],
  ])('are those of the library, which is rarely called, %s', (_, before, digits) => {
    const some = 12 * digits;
    const ids = fc.array(textOf('0123456789ABCDEF', { minLength: digits, maxLength: digits }), {
      minLength: some,
      maxLength: some,
    });
    fc.assert(
      fc.property(ids, (all) => {
        let calls = 0;
        const patterns = new QrPatterns((text) => {
          calls += 1;
          return qrModules(text);
        });
        for (const id of all) expect(drawingOf(patterns.codeOf(before + id))).toBe(drawing(qrModules(before + id)));
        // The digits stand in half as many pairs, or in one more, of eleven bits each.
        expect(calls).toBeLessThanOrEqual(1 + 11 * (Math.ceil(digits / 2) + 1));
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });

  it('are those of the library for any texts, in any order', () => {
    // Few texts are possible, so many are XORs of others.
    const two = { minLength: 2, maxLength: 2 };
    const texts = fc.oneof(
      textOf('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:', { minLength: 1, maxLength: 2 }),
      textOf(' !"#%&~abcxyzABC0123', { minLength: 1, maxLength: 5 }),
      textOf('01289', two),
      textOf('abcé€', two),
    );
    fc.assert(
      fc.property(fc.array(texts, { minLength: 200, maxLength: 200 }), (all) => {
        const patterns = new QrPatterns(qrModules);
        for (const text of all) expect(drawingOf(patterns.codeOf(text))).toBe(drawing(qrModules(text)));
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });

  it('are the library’s own if it draws another size', () => {
    const draw: DrawCode = (text) => qrModules(text.startsWith('Z') ? text.repeat(20) : text);
    const patterns = new QrPatterns(draw);
    for (const text of ['AB', 'ZB', 'ZB', 'CB', 'ZB', 'AB', 'AC'])
      expect(drawingOf(patterns.codeOf(text))).toBe(drawing(draw(text)));
  });
});
