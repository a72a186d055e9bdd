import type { Doing, Kind } from '../doing.js';
import { idOf } from './coupons.js';

const DAY = 86_400_000;

/** A time of the day after the service's. */
function tomorrow(doing: Doing): string {
  const midnight = (Math.floor(doing.now / DAY) + 1) * DAY;
  return new Date(midnight + doing.random.between(0.01, 0.99) * DAY).toISOString().replace(/\.\d+/, '');
}

/** Card links and mails about deals. */
export const engagement: Readonly<Record<string, Kind>> = {
  link: {
    weight: 3,
    async do(doing) {
      const { known, random } = doing;
      const user = known.users.choose(random);
      const deal = known.deals.choose(random, ({ kind }) => kind === 'card-linked', 4);
      const other = known.deals.choose(random, ({ kind }) => kind === 'card-linked', 4);
      const isOne = random.chance(0.5);
      if (user === undefined || deal === undefined || other === undefined) return;
      const deals = isOne ? [deal.slug] : [...new Set([deal.slug, other.slug])];
      const body = { user_id: user.id, ...(isOne ? { deal_id: deal.slug } : { deal_ids: deals }) };
      const made = await doing.call(user.partner, 'POST', '/card_links', body, { type: 'link', deals, user: user.id });
      if (made === undefined) return;
      const links = (isOne ? [made['card_link']] : made['card_links']) as unknown as readonly { readonly id: string }[];
      links.forEach(({ id }, index) => {
        known.links.put(doing.named(index), { id, partner: user.partner, user: user.id });
      });
    },
  },
  'unlink or link again': {
    weight: 2,
    async do(doing) {
      const link = doing.known.links.choose(doing.random);
      const what = doing.random.one(['unlink', 'link']);
      if (link === undefined) return;
      const meaning = what === 'link' ? ({ type: 'relink', link: link.id } as const) : undefined;
      await doing.call(link.partner, 'PUT', `/card_links/${link.id}/${what}`, undefined, meaning);
    },
  },
  'redeem link': {
    weight: 4,
    async do(doing) {
      const { known, random } = doing;
      const link = known.links.choose(random);
      const reference = `till-${random.whole(0, 12)}`;
      const of = { transaction_amount: random.one([2500, 1999, 500, 100]), transaction_date: '2030-01-01T12:00:00' };
      const max_redemption = random.chance(0.1);
      if (link === undefined) return;
      const body = { ...of, transaction_reference: reference, max_redemption };
      const meaning = { type: 'redeem-link', link: link.id, reference } as const;
      await doing.call(link.partner, 'PUT', `/card_links/${link.id}/redeem`, body, meaning);
    },
  },
  batch: {
    weight: 2,
    async do(doing) {
      const { known, random } = doing;
      const partner = doing.partner();
      const deal = known.deals.choose(random);
      const users = [0, 1, 2].map(() => known.users.choose(random, (user) => user.partner === partner));
      const mode = random.one(['suppress', 'augment']);
      const send_at = tomorrow(doing);
      if (deal === undefined) return;
      const user_ids = [...new Set(users.flatMap((user) => (user === undefined ? [] : [user.id])))];
      if (user_ids.length === 0) return;
      const body = { deal_id: deal.slug, user_ids, mode, send_at };
      const meaning = { type: 'create-batch', deal: deal.slug } as const;
      const made = await doing.call(partner, 'POST', '/v1/targeted_email/batches', body, meaning);
      if (made !== undefined) known.batches.put(doing.named(), { id: idOf(made['batch']), partner, deal: deal.slug });
    },
  },
  'read batch': {
    weight: 0.5,
    async do(doing) {
      const batch = doing.known.batches.choose(doing.random);
      if (batch?.deal === undefined) return;
      await doing.call(batch.partner, 'GET', `/targeted_email/batches/${batch.id}?deal_id=${batch.deal}`);
    },
  },
  'cancel batch': {
    weight: 1,
    async do(doing) {
      const batch = doing.known.batches.choose(doing.random);
      if (batch?.deal === undefined) return;
      const path = `/v1/targeted_email/batches/${batch.id}?deal_id=${batch.deal}`;
      await doing.call(batch.partner, 'DELETE', path, undefined, { type: 'cancel-batch', batch: batch.id });
    },
  },
};
