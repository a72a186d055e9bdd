import { claim, reserve } from '../support/buying.js';
import {
  cardOf,
  DECLINED_CARD,
  GOOD_CARD,
  LOST_ANSWER_CARD,
  NO_FUNDS_CARD,
  personOf,
  SILENT_CARD,
  storeCard,
} from '../support/cards.js';
import type { Json, RunningService, TestPartner } from '../support/running-service.js';
import { workDone } from '../support/work-done.js';
import { type Engagements, fillEngagements } from './engagements.js';
import type { RecordedRequest, Recording } from './recording.js';

export const PRICE = 1000;
/** Seconds: until the service asks again about a charge without an answer; until a hold has expired; two days. */
const [TAKEOVER, HOLD, TWO_DAYS] = [40, 301, 2 * 86_400];

/** Holds of one deal, each released: a stop keeps a snapshot of a stream that has had more than 250 events. */
const HOLDS = 130;

const reason = { reason: 'for the record' };
const MASTERCARD = '5555555555554444';
const ADDRESS = { name: 'Ann Lee', address_one: '1 Main St', postal_code: '02114', city: 'Boston', state: 'MA' };
const LOCATION = {
  address: {
    street: '1 Pond Lane',
    locality: 'Boston',
    region: 'MA',
    country: 'US',
    latitude: 42.36,
    longitude: -71.06,
  },
  hours: '9 to 5',
  phone: '617-555-0139',
};

/** What the last run of the service and the recorded requests work on. */
export interface Shop {
  readonly credentials: Recording['credentials'];
  readonly acme: TestPartner;
  readonly users: Readonly<Record<'ann' | 'bob' | 'eve' | 'erased' | 'hidden' | 'mia', string>>;
  /** They buy under load; the recorded requests do not ask about them. */
  readonly crowd: readonly string[];
  readonly annsCard: string;
  readonly bobsSilentCard: string;
  /** By their outcome. */
  readonly purchases: Record<string, string>;
  readonly coupons: readonly Json[];
  readonly engagements: Engagements;
}

/** The first run: every kind of object that a shop knows, while time passes. */
export async function fillShop(service: RunningService): Promise<Shop> {
  const made = await service.operate('POST', '/partners', { name: 'Acme', slug: 'acme' });
  const acme: TestPartner = { id: made.partner.id, key: made.api_key, keyId: made.key_id };
  const rival = await service.newPartner('rival');
  const revoked = await service.operate('POST', `/partners/${acme.id}/keys`);
  await service.operate('DELETE', `/partners/${acme.id}/keys/${revoked.key_id}`);
  const { username, password } = await service.operate('POST', `/partners/${acme.id}/password`);
  await tokens(service);
  await regions(service);
  await deals(service);
  const users = await people(service, acme);
  const annsCard = await storeCard(service, acme.key, users.ann);
  const annsOther = await storeCard(service, acme.key, users.ann, MASTERCARD);
  await ask(service, acme, 'PUT', `/credit_cards/${annsOther}/default`);
  const bobsSilentCard = await storeCard(service, acme.key, users.bob, SILENT_CARD);
  const shop: Omit<Shop, 'engagements'> = {
    credentials: { acme: acme.key, rival: rival.key, revoked: revoked.api_key, 'acme-v3': `${username}:${password}` },
    acme,
    users,
    crowd: await Promise.all(['mo', 'ned'].map((each) => service.newUser(acme.key, `${each}@example.org`))),
    annsCard,
    bobsSilentCard,
    purchases: {},
    coupons: [],
  };
  await firstSales(service, shop);
  await service.newUser(rival.key, 'ann@example.org', { first_name: 'Another Ann' });
  await holdAndRelease(service, acme);
  const coupons = await corrections(service, shop);
  const engagements = await fillEngagements(service, acme, `${username}:${password}`, users.bob);
  return { ...shop, coupons, engagements };
}

async function tokens(service: RunningService): Promise<void> {
  await service.operate('POST', '/tokens', { name: 'carla', role: 'auditor' });
  const { id } = await service.operate('POST', '/tokens', { name: 'dave', role: 'operator' });
  await service.operate('DELETE', `/tokens/${id}`);
}

async function regions(service: RunningService): Promise<void> {
  const boston = { name: 'Boston', time_zone: 'America/New_York', latitude: 42.36, longitude: -71.06, radius: 40 };
  await service.operate('PUT', '/regions/boston', boston);
  await service.operate('PUT', '/regions/boston', { ...boston, name: 'Boston, MA' });
  await service.operate('PUT', '/regions/lisbon', { name: 'Lisbon', time_zone: 'Europe/Lisbon' });
  await service.operate('PUT', '/regions/nowhere', { name: 'Nowhere', time_zone: 'Etc/UTC', active: false });
}

/** A deal of every type, and one in every state. */
async function deals(service: RunningService): Promise<void> {
  const { now } = await service.operate('GET', '/clock');
  const day = (days: number): string => new Date(Date.parse(now) + days * 86_400_000).toISOString();
  const boston = {
    region_id: 'boston',
    locations: [LOCATION],
    tags: ['outdoors'],
    category: 'Activities',
    category_id: 1,
  };
  const longer = { ...boston, end_at: day(900) };
  const codes = Array.from({ length: 40 }, (_, index) => `GOLD-${index}`);
  await service.newDeal('spa', { ...longer, stock: 200, max_per_user: 50, instructions: 'Call ahead.' });
  await service.newDeal('coded', {
    ...longer,
    stock: 60,
    redemption_code_pool: codes,
    fulfillment_method: 'redemptioncoded',
  });
  await service.operate('PUT', '/deals/coded', {
    redemption_code_pool: Array.from({ length: 20 }, (_, at) => `MORE-${at}`),
  });
  await service.newDeal('daily', { ...boston, start_at: day(-1), end_at: day(13), stock: 10 });
  await service.newDeal('short', { ...boston, end_at: day(0.1), expires_at: day(1), stock: 5 });
  await service.newDeal('shipped', { ...longer, fulfillment_method: 'shipped', shipping_address_required: true });
  await service.newDeal('endless', { ...longer, stock: null, expiration_days: 30 });
  await service.newDeal('offer', {
    type: 'affiliate',
    region_id: 'lisbon',
    end_at: day(900),
    current_price: null,
    value: null,
    redemption_url: 'https://roasters.example.com/tasting',
  });
  await service.newDeal('linked', {
    type: 'card-linked',
    region_id: 'lisbon',
    end_at: day(900),
    incentive_amount: 500,
    min_spend: 2000,
    offer_construct: '$5 off',
  });
  await service.operate('PUT', '/deals/spa', { title: 'A Day at the Spa', current_price: PRICE });
  await service.operate('PUT', '/deals/spa/stock', { units: 150 });
  const move = (slug: string, to: string): Promise<Json> =>
    service.operate('POST', `/deals/${slug}/transitions`, { to, ...reason });
  for (const state of ['paused', 'cancelled', 'deleted']) {
    await service.newDeal(state, longer);
    await move(state, state);
  }
  const draft = {
    title: 'A draft',
    start_at: day(-1),
    end_at: day(9),
    current_price: PRICE,
    value: 2000,
    region_id: 'boston',
  };
  for (const slug of ['submitted', 'in-review', 'rejected']) await service.operate('PUT', `/deals/${slug}`, draft);
  await move('in-review', 'in-review');
  await move('rejected', 'in-review');
  await move('rejected', 'rejected');
  await service.newDeal('approved', { ...boston, start_at: day(300), end_at: day(310) });
  await service.newDeal('rush', { region_id: 'lisbon', end_at: day(900), stock: 500, max_per_user: null });
}

async function people(service: RunningService, acme: TestPartner): Promise<Shop['users']> {
  const named = { first_name: 'Ann', last_name: 'Lee', birthday: '1990-12-31', postal_code: '02114', token: 'tok-1' };
  const more = { source: 'app', credits: 500, partner_data: { tier: 'gold', preferred_categories: [1] } };
  const users = {
    ann: await service.newUser(acme.key, 'ann@example.org', { ...named, ...more }),
    bob: await service.newUser(acme.key, 'bob@example.org', { first_name: 'Bob' }),
    eve: await service.newUser(acme.key, 'eve@example.org'),
    erased: await service.newUser(acme.key, 'erased@example.org', { first_name: 'Gone', last_name: 'Forever' }),
    hidden: await service.newUser(acme.key, 'hidden@example.org', { first_name: 'Hyde' }),
    mia: await service.newUser(acme.key, 'mia@example.org'),
  };
  await ask(service, acme, 'PUT', `/users/${users.bob}`, { last_name: 'Ross', email: 'Bob.Ross@example.org' });
  await ask(service, acme, 'PUT', '/users/eve@example.org/update_by_email', { token: 'tok-2', first_name: 'Eve' });
  await ask(service, acme, 'PUT', `/users/${users.eve}`, { password: 'a secret', password_confirmation: 'a secret' });
  const address = { ...ADDRESS, country: 'US' };
  for (const name of ['Ann Lee', 'Bob Lee']) {
    await ask(service, acme, 'POST', '/shipping_addresses', { ...address, user_id: users.ann, name });
  }
  await ask(service, acme, 'POST', '/shipping_addresses', { ...address, user_id: users.erased });
  return users;
}

/** Purchases of every kind, whose outcomes become known. */
async function firstSales(
  service: RunningService,
  { acme, users, annsCard, purchases }: Omit<Shop, 'engagements'>,
): Promise<void> {
  const { key } = acme;
  const full = (deal_id: string, number: string, more: Json): Promise<Json> =>
    ask(service, acme, 'POST', '/v1/purchases/full.json', {
      deal_id,
      quantity: 1,
      credit_card: cardOf(number),
      ...more,
    });
  const stored = (deal_id: string, quantity: number): Promise<Json> =>
    ask(service, acme, 'POST', '/purchases', {
      ...{ deal_id, quantity, user_id: users.ann, credit_card_id: annsCard, expected_price_per_unit: PRICE },
    });

  purchases['landed'] = (await stored('short', 2)).purchase.id;
  await service.forward(TWO_DAYS);
  purchases['claimed'] = (await claim(service, key, (await reserve(service, key, 'coded', 3)).id, users.ann)).id;
  const released = (await reserve(service, key, 'spa', 2)).id;
  await ask(service, acme, 'PUT', `/purchases/${released}/release`);
  purchases['released'] = released;
  purchases['ran-out'] = (await reserve(service, key, 'daily', 4)).id;
  const late = (await reserve(service, key, 'spa', 1)).id;
  await service.forward(HOLD);
  await workDone(service);
  purchases['late'] = (await claim(service, key, late, users.bob)).id;
  purchases['stored'] = (await stored('coded', 2)).purchase.id;
  purchases['refunded'] = (await stored('spa', 3)).purchase.id;
  purchases['corrected'] = (await stored('coded', 4)).purchase.id;
  purchases['unlimited'] = (await stored('endless', 1)).purchase.id;
  const shipped = { shipping_address: { ...ADDRESS, country: 'US' } };
  purchases['shipped'] = (await full('shipped', GOOD_CARD, { user_id: users.ann, ...shipped })).purchase.id;
  purchases['full'] = (await full('spa', GOOD_CARD, { user: personOf('New@example.org'), quantity: 2 })).purchase.id;
  purchases['erased'] = (await full('spa', GOOD_CARD, { user_id: users.erased })).purchase.id;
  purchases['hidden'] = (await full('spa', GOOD_CARD, { user_id: users.hidden })).purchase.id;
  await full('coded', DECLINED_CARD, { user: personOf('declined@example.org') });
  await full('spa', NO_FUNDS_CARD, { user_id: users.eve });
  purchases['silent'] = (await full('spa', SILENT_CARD, { user: personOf('silent@example.org') })).purchase.id;
  purchases['lost'] = (await full('coded', LOST_ANSWER_CARD, { user: personOf('lost@example.org') })).purchase.id;
  purchases['voided'] = (await full('spa', SILENT_CARD, { user: personOf('voided@example.org') })).purchase.id;
  purchases['voided-charge'] = (
    await full('coded', LOST_ANSWER_CARD, { user: personOf('void@example.org') })
  ).purchase.id;
  for (const name of ['voided', 'voided-charge']) {
    await service.operate('POST', `/purchases/${purchases[name]}/void`, reason);
  }
  await service.forward(TAKEOVER);
  await workDone(service);
}

/** Many holds of a deal, each of which is released. */
export async function holdAndRelease(service: RunningService, acme: Pick<TestPartner, 'key'>): Promise<void> {
  for (let done = 0; done < HOLDS; done += 1) {
    const { id } = await reserve(service, acme.key, 'spa');
    await ask(service, acme, 'PUT', `/purchases/${id}/release`);
  }
}

/** What operators corrected; returns the coupons of the corrected purchases, as their partner sees them. */
async function corrections(
  service: RunningService,
  { acme, users, purchases }: Omit<Shop, 'engagements'>,
): Promise<readonly Json[]> {
  const couponsOf = async (name: string): Promise<Json[]> =>
    (await ask(service, acme, 'GET', `/purchases/${purchases[name]}`)).purchase.coupons;
  const [first, second, third] = await couponsOf('corrected');
  await service.operate('POST', `/coupons/${first.id}/cancel`, reason);
  const { coupon: again } = await service.operate('POST', `/coupons/${second.id}/reissue`, reason);
  await ask(service, acme, 'PUT', `/coupons/${third.id}/redeem`);
  await ask(service, acme, 'PUT', `/users/${users.ann}/coupons/${again.id}/redeem`);
  await service.operate('POST', `/purchases/${purchases['refunded']}/refund`, reason);
  await ask(service, acme, 'PUT', `/users/${users.hidden}`, { is_deleted: true });
  await service.forward(TAKEOVER);
  await workDone(service);
  return [...(await couponsOf('corrected')), ...(await couponsOf('stored')), ...(await couponsOf('landed'))];
}

/** Purchases whose outcome is unknown at the end, in a run without timers. */
export async function leaveOpen(service: RunningService, { acme, users, bobsSilentCard }: Shop): Promise<string[]> {
  const lost = {
    deal_id: 'coded',
    quantity: 2,
    credit_card: cardOf(LOST_ANSWER_CARD),
    user: personOf('left@example.org'),
  };
  const stored = { deal_id: 'spa', quantity: 1, user_id: users.bob, credit_card_id: bobsSilentCard };
  const answers = await Promise.all([
    ask(service, acme, 'POST', '/v1/purchases/full.json', lost),
    ask(service, acme, 'POST', '/purchases', { ...stored, expected_price_per_unit: PRICE }),
  ]);
  return answers.map(({ purchase }) => purchase.id as string);
}

/** Requests under a key, whose answers are kept. */
export function keptRequests({ users, annsCard }: Shop): readonly RecordedRequest[] {
  const kept = (path: string, repeats: string, body: Json, as: RecordedRequest['as'] = 'acme'): RecordedRequest => ({
    ...{ as, method: 'POST', path, body, repeats, contract: 'bytes' },
  });
  const stored = { deal_id: 'spa', quantity: 1, user_id: users.ann, credit_card_id: annsCard };
  return [
    kept('/purchases/reserve', 'golden-reserve', { deal_id: 'spa', num_bought: 2 }),
    kept('/purchases', 'golden-stored', { ...stored, expected_price_per_unit: PRICE }),
    kept('/v1/purchases/full.json', 'golden-full', {
      ...{ deal_id: 'coded', quantity: 1, credit_card: cardOf(GOOD_CARD), user: personOf('kept@example.org') },
    }),
    kept('/users', 'golden-user', { email: 'kept-user@example.org', partner_data: { tier: 'gold' } }),
    kept('/purchases/reserve', 'golden-refused', { deal_id: 'paused', num_bought: 1 }),
    kept('/operators/partners', 'golden-partner', { name: 'Kept', slug: 'kept' }, 'operator'),
  ];
}

/** A request that waits for the gateway while the service is killed. */
export function runningRequest({ crowd }: Shop): RecordedRequest {
  const body = { deal_id: 'rush', quantity: 1, credit_card: cardOf(SILENT_CARD), user_id: crowd[0] };
  return { as: 'acme', method: 'POST', path: '/purchases/full', body, repeats: 'golden-running', contract: 'says' };
}

async function ask(
  service: RunningService,
  { key }: Pick<TestPartner, 'key'>,
  method: string,
  path: string,
  body?: Json,
): Promise<Json> {
  const answer = await service.ask(method, path, { key, ...(body === undefined ? {} : { body }) });
  // A declined card is part of the shop.
  if (answer.status === 200 || answer.body?.error_type === 'declined') return answer.body;
  throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
}
