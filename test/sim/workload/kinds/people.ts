import type { Kind } from '../doing.js';
import { ADDRESS, cardOf } from './buying.js';
import { idOf } from './coupons.js';

const ZIPS = ['02114', '10001', '99501'];

/** Users, and what belongs to them. */
export const people: Readonly<Record<string, Kind>> = {
  'new user': {
    weight: 3,
    async do(doing) {
      const { known, random } = doing;
      const partner = doing.partner();
      // Some addresses are taken already.
      const email = `user-${random.whole(0, doing.operation.index >> 3)}@example.com`;
      const secret = random.chance(0.4) ? { password: 'a secret', password_confirmation: 'a secret' } : {};
      const body = { email, first_name: 'Ann', last_name: 'Lee', ...secret };
      const made = await doing.call(partner, 'POST', '/users', body, {
        type: 'create-user',
        email: `${partner.id}/${email}`,
      });
      if (made !== undefined) known.users.put(doing.named(), { id: made['user_id'] as string, email, partner });
    },
  },
  'change user': {
    weight: 2,
    async do(doing) {
      const { known, random } = doing;
      const user = known.users.choose(random);
      const change = random.one([
        { first_name: doing.named() },
        { email: `user-${random.whole(0, 80)}@example.com` },
        { partner_data: { tier: doing.named() } },
        { pass: 'another one', pass_confirmation: 'another one' },
        { is_deleted: true },
        { is_deleted: false },
      ]);
      if (user === undefined) return;
      await doing.call(user.partner, 'PUT', `/users/${user.id}`, change);
    },
  },
  'change address': {
    weight: 4,
    async do(doing) {
      const { known, random } = doing;
      const user = known.users.choose(random);
      const email = random.chance(0.8)
        ? `moved-${doing.named()}@example.com`
        : `user-${random.whole(0, 20)}@example.com`;
      // Nobody finishes what a crash leaves of it, but the service itself.
      if (user !== undefined) await doing.once(user.partner, 'PUT', `/users/${user.id}`, { email });
    },
  },
  'update by email': {
    weight: 2,
    async do(doing) {
      const { known, random } = doing;
      const partner = doing.partner();
      const email = `user-${random.whole(0, 30)}@example.com`;
      const body = {
        last_name: doing.named(),
        is_deleted: false,
        ...(random.chance(0.2) && { token: `t-${random.whole(0, 3)}` }),
      };
      const path = `/users/${encodeURIComponent(email)}/update_by_email${random.chance(0.3) ? '?overwrite_token=true' : ''}`;
      const made = await doing.call(partner, 'PUT', path, body);
      if (made !== undefined) known.users.put(doing.named(), { id: idOf(made['user']), email, partner });
    },
  },
  'store card': {
    weight: 3,
    async do(doing) {
      const { known } = doing;
      const user = known.users.choose(doing.random);
      const card = cardOf(doing);
      if (user === undefined) return;
      const made = await doing.call(user.partner, 'POST', '/credit_cards', { user_id: user.id, ...card });
      const id = made?.['credit_card_id'] as string | undefined;
      if (id !== undefined) known.cards.put(doing.named(), { id, partner: user.partner, user: user.id });
    },
  },
  'default card': {
    weight: 1,
    async do(doing) {
      const card = doing.known.cards.choose(doing.random);
      if (card !== undefined) await doing.call(card.partner, 'PUT', `/credit_cards/${card.id}/default`);
    },
  },
  'store address': {
    weight: 1,
    async do(doing) {
      const { known } = doing;
      const user = known.users.choose(doing.random);
      if (user === undefined) return;
      const made = await doing.call(user.partner, 'POST', '/shipping_addresses', {
        user_id: user.id,
        name: 'Ann',
        ...ADDRESS,
      });
      const id = made?.['shipping_address_id'] as string | undefined;
      if (id !== undefined) known.addresses.put(doing.named(), { id, partner: user.partner, user: user.id });
    },
  },
  'issue access token': {
    weight: 1,
    async do(doing) {
      const { known } = doing;
      const user = known.users.choose(doing.random);
      if (user === undefined) return;
      const body = { expires_in: 100_000, scope: 'all', access: 'read,write' };
      const made = await doing.call(user.partner, 'POST', `/users/${user.id}/access_tokens`, body);
      // A repeated answer does not show the token.
      const id = (made?.['access_token'] as { readonly id?: string } | undefined)?.id;
      if (id !== undefined) known.tokens.put(doing.named(), { id, partner: user.partner, user: user.id });
    },
  },
  'save deal': {
    weight: 2,
    async do(doing) {
      const { known, random } = doing;
      const user = known.users.choose(random);
      const deal = known.deals.choose(random);
      const token = known.tokens.choose(random, (each) => each.user === user?.id);
      if (user === undefined || deal === undefined) return;
      const body = { deal_id: deal.slug, user_id: user.id };
      const made = await (token === undefined
        ? doing.call(user.partner, 'POST', '/saved_deals', body)
        : doing.byToken(token.id, 'POST', '/saved_deals', body));
      if (made !== undefined)
        known.savedDeals.put(doing.named(), { id: idOf(made['saved_deal']), partner: user.partner, user: user.id });
    },
  },
  'remove saved deal': {
    weight: 1,
    async do(doing) {
      const saved = doing.known.savedDeals.choose(doing.random);
      if (saved !== undefined) await doing.call(saved.partner, 'DELETE', `/saved_deals/${saved.id}`);
    },
  },
  subscribe: {
    weight: 2,
    async do(doing) {
      const { known, random } = doing;
      const user = known.users.choose(random);
      const zip = random.one(ZIPS);
      if (user === undefined) return;
      const made = await doing.call(user.partner, 'POST', `/users/${user.id}/subscriptions`, { zip });
      if (made !== undefined)
        known.subscriptions.put(doing.named(), {
          id: idOf(made['subscription']),
          partner: user.partner,
          user: user.id,
        });
    },
  },
  'subscription status': {
    weight: 1,
    async do(doing) {
      const { known, random } = doing;
      const subscription = known.subscriptions.choose(random);
      const status = random.one(['active', 'active', 'inactive']);
      if (subscription !== undefined)
        await doing.call(subscription.partner, 'PUT', `/subscriptions/${subscription.id}`, { status });
    },
  },
  'follow link of a mail': {
    weight: 4,
    async do(doing) {
      const { random, installation } = doing;
      const mail = random.one([...installation.mails.received.slice(-8), undefined]);
      const links = mail?.text.match(/\/m\/(?:confirm|unsubscribe)\/[\w.~-]+/g) ?? [];
      const wanted = random.chance(0.85) ? 'confirm' : 'unsubscribe';
      // Only a POST changes anything: programs open every link.
      const method = random.chance(0.2) ? 'GET' : 'POST';
      const link = links.find((each) => each.includes(wanted));
      if (link !== undefined) await doing.open(method, link);
    },
  },
};
