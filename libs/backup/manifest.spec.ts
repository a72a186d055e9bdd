import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { FileSeal } from './file-seal.js';
import { emptyManifest, manifestText, parseManifest } from './manifest.js';

const plain = FileSeal.with(undefined, thisMachine.randomness);
const keyed = FileSeal.with(Buffer.alloc(32, 1), thisMachine.randomness);
const other = FileSeal.with(Buffer.alloc(32, 2), thisMachine.randomness);
const manifest = (encrypted: boolean) => emptyManifest('ours', encrypted);

describe('G12.2: the manifest of a backup', () => {
  it('is read as it was written', () => {
    expect(parseManifest('f', manifestText(manifest(false), plain), plain)).toEqual(manifest(false));
    expect(parseManifest('f', manifestText(manifest(true), keyed), keyed)).toEqual(manifest(true));
  });

  it('is refused with any bit flipped', () => {
    for (const [seal, encrypted] of [
      [plain, false],
      [keyed, true],
    ] as const) {
      const bytes = Buffer.from(manifestText(manifest(encrypted), seal));
      for (let at = 0; at < bytes.length; at += 1) {
        for (const bit of [1, 32, 128]) {
          const flipped = Buffer.from(bytes);
          flipped[at] = (flipped[at] ?? 0) ^ bit;
          expect(() => parseManifest('backup.json', flipped.toString(), seal)).toThrow('backup.json');
        }
      }
      for (let end = 0; end < bytes.length; end += 1)
        expect(() => parseManifest('backup.json', bytes.toString('utf8', 0, end), seal)).toThrow('backup.json');
    }
  });

  it('is refused under another key, without its key, and with a key that it does not need', () => {
    const text = manifestText(manifest(true), keyed);
    expect(() => parseManifest('f', text, other)).toThrow('another key than that of --key-file: name its own key');
    expect(() => parseManifest('f', text, plain)).toThrow('name its key with --key-file');
    expect(() => parseManifest('f', manifestText(manifest(false), plain), keyed)).toThrow('leave --key-file out');
  });

  it('of a newer format is refused by name, whatever else it has', () => {
    const text = manifestText(manifest(false), plain).replace('"format": 1', '"format": 9');
    expect(() => parseManifest('f', text, plain)).toThrow('has the newer format 9, and this build reads only 1');
  });
});

describe('G12.2: a file of a backup under a key', () => {
  it('is bound to its name', async () => {
    const bytes = await keyed.seal('ours/log/1', 'text');
    expect(String(await keyed.open('ours/log/1', bytes))).toBe('text');
    expect(await keyed.open('ours/log/2', bytes)).toBeUndefined();
    expect(await keyed.open('another/log/1', bytes)).toBeUndefined();
    expect(await other.open('ours/log/1', bytes)).toBeUndefined();
  });
});
