import { describe, expect, it } from '@jest/globals';
import { held, madeUpLog, onSale } from './made-up-log.js';
import { checkHolds, checkReady } from './served.js';
import { Units } from './units.js';

describe('once nothing fails any more', () => {
  it('every API is ready', async () => {
    const api = (status: number): Parameters<typeof checkReady>[0][number] => ({
      name: `api ${status}`,
      answer: () => Promise.resolve({ status, headers: {}, text: 'words' }),
    });
    await expect(checkReady([api(200), api(200)])).resolves.toBeUndefined();
    await expect(checkReady([api(200), api(503)])).rejects.toThrow('every process is ready: api 503: 503 words');
  });

  it('no hold outlives its deadline', () => {
    const units = new Units();
    for (const event of madeUpLog(...onSale(1), held('a', { stock: 1, held: 1, sold: 0 }))) units.check(event);
    expect(() => checkHolds(units, 301_000)).not.toThrow();
    expect(() => checkHolds(units, 301_001)).toThrow('held units are let go: deal spa: a still holds some');
  });
});
