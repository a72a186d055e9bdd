import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Unavailable } from '#eventsourcing';
import { openShop, type Shop } from '../../../test/support/shop.js';
import { readUnsold } from './purchase.from-log.js';

describe('reading a purchase without a sale from the log', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop(1);
  });
  afterEach(() => shop.close());

  // An older copy of the log was put back while the gateway voided the charge. The call was answered with 500.
  it('is unavailable if the log has lost the purchase', async () => {
    await expect(readUnsold(shop.engine.writer, 'lost')).rejects.toThrow(Unavailable);
  });
});
