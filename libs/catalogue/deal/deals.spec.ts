import { describe, expect, it } from '@jest/globals';
import { ViewChanges } from '#eventsourcing';
import { PublicUrl } from '#http';
import { DEAL_DEFAULTS, type DealAttributes } from './deal.attributes.js';
import { Deals } from './deals.js';
import { engineOf } from '../../../test/support/engine-of.js';

const LARGE = 'x'.repeat(500_000);

describe('the memory of deals', () => {
  /** Deals of a view that counts how often each is read. */
  function opened(attributes: Partial<DealAttributes>): { readonly deals: Deals; readonly reads: string[] } {
    const reads: string[] = [];
    const get = async (key: string): Promise<object> => {
      reads.push(key);
      const row = { deal_id: key, state: 'approved', attributes: { ...DEAL_DEFAULTS, ...attributes } };
      return { key, position: 1n, row };
    };
    const { reader } = engineOf({ views: { reader: () => ({ get }) } });
    return { deals: new Deals(reader, new ViewChanges(), new PublicUrl('http://deals.test')), reads };
  }

  it('keeps thousands of usual deals', async () => {
    const { deals, reads } = opened({ fine_print: 'x'.repeat(1_000) });
    for (let n = 0; n < 5_000; n += 1) await deals.find(`deal-${n}`);
    await deals.find('deal-0');
    expect(reads).toHaveLength(5_000);
  });

  // It once kept 20000 deals, however large: of the largest, that was 10 GB.
  it('keeps no more of the largest deals than fit into about a hundred megabytes', async () => {
    const { deals, reads } = opened({ fine_print: LARGE });
    for (let n = 0; n < 200; n += 1) await deals.find(`deal-${n}`);
    const before = reads.length;
    for (let n = 199; n >= 0; n -= 1) await deals.find(`deal-${n}`);
    const kept = 200 - (reads.length - before);
    expect(kept * LARGE.length).toBeLessThan(100_000_000);
    expect(kept).toBeGreaterThan(10);
  });

  it('counts a deal as an answer may show it: with its repeated texts, and its picture in every size', async () => {
    const { deals } = opened({ description1: 'twice', image: '/é' });
    const { characters, row } = (await deals.find('spa')) ?? {};
    const picture = 'http://deals.test/%C3%A9?size=xlarge';
    expect(characters).toBe(JSON.stringify(row).length + 'twice'.length + 20 * picture.length);
  });
});
