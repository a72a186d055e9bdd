import { describe, expect, it } from '@jest/globals';
import { recordOf } from './identity.js';
import { NoEventThere, type Reads } from './server.js';

describe('a record that the server does not find by its name', () => {
  const known = { identity: 'ours', place: { number: 1, last: 7n, began: 1n } };
  const reads = (readAll: Reads['readAll']): Pick<Reads, 'readStream' | 'readAll'> => ({
    readStream: () => Promise.resolve(undefined),
    readAll,
  });

  it('is missing if no event begins at its position', async () => {
    const none = reads(() => Promise.reject(new NoEventThere('none')));
    expect(await recordOf(none, 'shop_', known)).toBeUndefined();
    expect(
      await recordOf(
        reads(() => Promise.resolve([])),
        'shop_',
        known,
      ),
    ).toBeUndefined();
  });

  it('is not called missing if the server does not answer', async () => {
    const away = reads(() => Promise.reject(new Error('away')));
    await expect(recordOf(away, 'shop_', known)).rejects.toThrow('away');
  });
});
