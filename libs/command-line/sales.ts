import { Argument, type Command } from 'commander';
import { TEXTS } from '#kernel/bounds';
import { textWithin } from './arguments.js';
import { fields, table, write } from './output.js';
import type { Session } from './session.js';

/** A coupon, as the service shows it to operators. */
interface ShownCoupon {
  readonly partner_id: string;
  readonly purchase_id: string;
  readonly user_id: string | null;
  readonly coupon: {
    readonly id: string;
    readonly deal_id: string;
    readonly barcode: string;
    readonly state: string;
    readonly expires_at: string | null;
    readonly redeemed_at: string | null;
  };
}

/** A purchase, as the service shows it to operators. */
interface ShownPurchase {
  readonly partner_id: string;
  readonly purchase: {
    readonly id: string;
    readonly deal_id: string;
    readonly number_bought: number;
    readonly amount: number;
    readonly payment_state: string;
    readonly fulfillment_state: string;
    readonly created_at: string;
    readonly user_id: string | null;
    readonly coupons: readonly ShownCoupon['coupon'][] | null;
  };
}

/** The commands `coupons …` and `purchases …` (rulings G5, G8): show what anybody has bought. */
export function addSales(program: Command, session: () => Session): void {
  const named = (name: string, words: string): Argument =>
    new Argument(name, words).argParser(textWithin(TEXTS.id.most));

  program
    .command('coupons')
    .description('show coupons')
    .command('show')
    .description('shows a coupon of any partner (with --json: all that partners see)')
    .addArgument(named('<coupon>', 'its id or its barcode, such as 486503955122'))
    .action(async (id: string) => {
      const { service, output } = session();
      const shown = await service.ask<ShownCoupon>('GET', `/operators/coupons/${encodeURIComponent(id)}`);
      const { coupon, purchase_id, user_id, partner_id } = shown;
      const { id: coupon_id, barcode, state, expires_at, redeemed_at, deal_id } = coupon;
      const what = { coupon: coupon_id, barcode, state, expires_at, redeemed_at };
      const whose = { deal: deal_id, purchase: purchase_id, user: user_id, partner: partner_id };
      write(output, shown, fields({ ...what, ...whose }));
    });

  program
    .command('purchases')
    .description('show purchases and reservations')
    .command('show')
    .description('shows a purchase or reservation of any partner (with --json: all that partners see)')
    .addArgument(named('<purchase>', 'its id'))
    .action(async (id: string) => {
      const { service, output } = session();
      const shown = await service.ask<ShownPurchase>('GET', `/operators/purchases/${encodeURIComponent(id)}`);
      const { purchase, partner_id } = shown;
      const { coupons, user_id, deal_id, ...rest } = purchase;
      const rows = (coupons ?? []).map((coupon) => [coupon.id, coupon.barcode, coupon.state]);
      const text = `${fields({ ...rest, deal: deal_id, user: user_id, partner: partner_id })}\n${table(['COUPON', 'BARCODE', 'STATE'], rows)}`;
      write(output, shown, text);
    });
}
