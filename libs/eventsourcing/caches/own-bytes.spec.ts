import { describe, expect, it } from '@jest/globals';
import { ownBytes } from './own-bytes.js';

describe('bytes that are kept', () => {
  it.each(['', 'a', 'é', 'x'.repeat(100_000)])('have their memory for themselves, from bytes and from text', (text) => {
    for (const bytes of [ownBytes(text), ownBytes(Buffer.from(text))]) {
      expect(bytes.toString()).toBe(text);
      expect(bytes.buffer.byteLength).toBe(bytes.length);
    }
  });
});
