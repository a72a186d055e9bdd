import type { Measurement } from '../bench.js';
import { spreadOf } from '../measure/median.js';
import { openDeals } from './buyers.js';
import { newShop } from './sales.js';

const COUPONS = 1_000;
const PRICE = 1_000;

/** Seconds until an operator's refund of a purchase that was charged is answered. */
export const refund: Measurement = async (bench, row) => {
  const { holdfast, shop } = await newShop(bench);
  const { service, key, buyers } = shop;
  const [deal_id] = await openDeals(shop, row);
  const [buyer] = buyers;
  const order = { deal_id, quantity: COUPONS, expected_price_per_unit: PRICE };
  const bought = async (): Promise<string> => {
    const body = { ...order, user_id: buyer?.user, credit_card_id: buyer?.card };
    const answer = await service.ask('POST', '/purchases', { key, body });
    if (answer.status !== 200) throw new Error(answer.text.slice(0, 500));
    return answer.body.purchase.id;
  };
  const seconds: number[] = [];
  for (let turn = 0; turn < bench.options.turns; turn += 1) {
    const id = await bought();
    const began = performance.now();
    await service.operate('POST', `/purchases/${id}/refund`, { reason: 'measured' });
    seconds.push((performance.now() - began) / 1_000);
    bench.progress(`${row}: ${seconds.at(-1)?.toFixed(2)} s`);
  }
  if (bench.options.profile) {
    const id = await bought();
    await bench.profiled(row, holdfast, () =>
      service.operate('POST', `/purchases/${id}/refund`, { reason: 'profiled' }),
    );
  }
  return [{ figure: spreadOf(seconds) }];
};
