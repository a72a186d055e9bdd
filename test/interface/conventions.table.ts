import { setTimeout as pause } from 'node:timers/promises';
import { DAY, utcTime } from '#kernel';
import { at, buy, reserve, timeOf } from '../support/buying.js';
import type { MailLinkKind } from '#engagement/module';
import { cardOf, GOOD_CARD, SILENT_CARD, storeCard } from '../support/cards.js';
import { signedLink } from '../support/mail-link.js';
import type { Json, RunningService, TestPartner } from '../support/running-service.js';

/** One call that succeeds. */
export interface Sample {
  /** The parameters in its path. */
  readonly ids?: Readonly<Record<string, string>>;
  /** Its other parameters. */
  readonly send?: Readonly<Record<string, Json>>;
  /** Lines of JSON as its body; its parameters are then in the query. */
  readonly lines?: string;
  /** For a write: given its answer, a GET of the same caller, and a text, or a pattern of one, that only appears there after the write. */
  readonly seen?: (answer: Json) => readonly [path: string, text: string | RegExp];
}

/** A line of the table: who may call, and how the call succeeds, with ids of the partner acme. */
export interface Line {
  readonly who: 'partner' | 'partner-v3' | 'operator' | 'auditor' | 'public';
  /** Operators and auditors see more: a wrong token is refused (ruling G11). */
  readonly knowsOperators?: true;
  readonly sample: (world: World) => Sample | Promise<Sample>;
  /** For a list: the name of its array, of which the sample shows at least two items. */
  readonly list?: string;
  /** The parameter with which its answer ends only when the caller leaves. */
  readonly endless?: string;
  /** For a list whose items change by themselves, such as an age: what names an item. */
  readonly named?: string;
  /** The status for an impossible page; 422 by default. */
  readonly noPage?: number;
  /** True when it names nothing that belongs to one partner. */
  readonly common?: true;
  /** Attributes that only the first answer shows. */
  readonly secrets?: readonly string[];
  /** True when its success is 201 (ruling A8). */
  readonly created?: true;
  /** True when its success is lines of JSON, of which the last one has `end`. */
  readonly inLines?: true;
  /** Attributes that say when the answer was made. */
  readonly timed?: readonly string[];
  /** True when it reads neither query nor body, and waits for no position. */
  readonly unread?: true;
  /** The last line of its success, if that is a text. */
  readonly inText?: RegExp;
  /** True when it writes no event, so that there is no position to wait for. */
  readonly noEvent?: true;
  /** True when the answer is 422 `update_failed`, because the table's service has nothing that it could succeed on. */
  readonly refused?: true;
}

/** A running service, and helpers that create what calls need. */
export class World {
  #made = 0;

  constructor(
    readonly service: RunningService,
    readonly acme: TestPartner,
    readonly rival: TestPartner,
    /** The user name and v3 password of acme. */
    readonly basic: string,
  ) {}

  /** A word that nothing has used before. */
  fresh(word: string): string {
    return `${word}-${(this.#made += 1)}`;
  }

  email(): string {
    return `${this.fresh('user')}@example.com`;
  }

  user(): Promise<string> {
    return this.service.newUser(this.acme.key, this.email());
  }

  /** Waits until no key of the installation is rotated. */
  async noRotation(): Promise<void> {
    await this.#until('/keys', ({ keys }) => keys.every(({ rotation }: Json) => rotation === null));
  }

  /** Asks operators' call until its answer is so. @throws Error with the last answer after two minutes */
  async #until(path: string, isSo: (answer: Json) => boolean): Promise<void> {
    const since = performance.now();
    for (;;) {
      const answer = await this.operate('GET', path);
      if (isSo(answer)) return;
      if (performance.now() - since > 120_000) throw new Error(`${path} stays ${JSON.stringify(answer)}`);
      await pause(20);
    }
  }

  /** A token of a user that may do everything, for ten minutes. */
  async token(user: string): Promise<string> {
    const body = { expires_in: 600, scope: 'all', access: 'read,write' };
    const answer = await this.service.ask('POST', `/users/${user}/access_tokens`, { key: this.acme.key, body });
    return answer.body.access_token.id;
  }

  card(user: string, number = GOOD_CARD): Promise<string> {
    return storeCard(this.service, this.acme.key, user, number);
  }

  held(): Promise<Json> {
    return reserve(this.service, this.acme.key, 'lunch');
  }

  async bought(user?: string): Promise<Json> {
    return buy(this.service, this.acme.key, 'lunch', user ?? (await this.user()));
  }

  /** A user with two shipping addresses. */
  async addressed(): Promise<string> {
    const user_id = await this.user();
    for (const name of ['Ann Lee', 'Bob Lee']) {
      const body = { user_id, name, ...ADDRESS };
      await this.service.ask('POST', '/shipping_addresses', { key: this.acme.key, body });
    }
    return user_id;
  }

  /** A user who has bought twice. */
  async buyer(): Promise<string> {
    const user = await this.user();
    await this.bought(user);
    await this.bought(user);
    return user;
  }

  async coupon(user?: string): Promise<Json> {
    return (await this.bought(user)).coupons[0];
  }

  async saved(user_id: string, deal_id = 'lunch'): Promise<string> {
    const body = { deal_id, user_id };
    return (await this.service.ask('POST', '/saved_deals', { key: this.acme.key, body })).body.saved_deal.id;
  }

  /** The link of a user to a deal that nobody else is linked to. */
  async linked(user_id: string): Promise<string> {
    const body = { deal_id: await this.offer(), user_id };
    return (await this.service.ask('POST', '/card_links', { key: this.acme.key, body })).body.card_link.id;
  }

  /** A card-linked deal that nobody is linked to. */
  async offer(): Promise<string> {
    const slug = this.fresh('offer');
    await this.service.newDeal(slug, { type: 'card-linked' });
    return slug;
  }

  /** A user with two card links. */
  async holder(): Promise<string> {
    const user = await this.user();
    await this.linked(user);
    await this.linked(user);
    return user;
  }

  /** A user with two saved deals. */
  async keeper(): Promise<string> {
    const user = await this.user();
    await this.saved(user);
    await this.saved(user, 'supper');
    return user;
  }

  /** The attributes of a batch for tomorrow, to two users. */
  async batchOf(): Promise<Readonly<Record<string, Json>>> {
    const midnight = (Math.floor((await timeOf(this.service)) / DAY) + 1) * DAY;
    const newUser = (): Promise<string> => this.service.newUser(this.acme.key, this.email());
    const user_ids = [await newUser(), await newUser()];
    return { ...lunch, user_ids, mode: 'augment', send_at: utcTime(midnight + DAY / 2) };
  }

  /** The id of a batch about lunch. */
  async batch(): Promise<string> {
    const body = await this.batchOf();
    const answer = await this.service.ask('POST', '/targeted_email/batches', { key: this.acme.key, body });
    return answer.body.batch.id;
  }

  /** Subscribes a user to the region of a ZIP. */
  async subscribed(user_id: string, zip = '02114'): Promise<string> {
    const path = `/users/${user_id}/subscriptions`;
    return (await this.service.ask('POST', path, { key: this.acme.key, body: { zip } })).body.subscription.id;
  }

  /** A user with two subscriptions. */
  async subscriber(): Promise<string> {
    const farland = { name: 'Farland', time_zone: 'America/New_York', latitude: 40.75, longitude: -73.99, radius: 20 };
    await this.operate('PUT', '/regions/farland', farland);
    const user = await this.user();
    await this.subscribed(user);
    await this.subscribed(user, '10001');
    return user;
  }

  /** Imports a new region. */
  async imported(): Promise<void> {
    const slug = this.fresh('imported');
    const line = JSON.stringify({ kind: 'region', slug, name: slug, time_zone: 'America/New_York' });
    const headers = { 'content-type': 'application/x-ndjson' };
    await this.service.ask('POST', '/operators/import', { token: this.service.operatorToken, body: line, headers });
  }

  /** The signed part of a link in a mail. */
  async signed(kind: MailLinkKind): Promise<Readonly<Record<string, string>>> {
    const user = await this.user();
    const id = kind === 'end-of-batch-mails' ? user : await this.subscribed(user);
    return { signed: await signedLink(this.service, this.acme, kind, id) };
  }

  /** A reseller's transaction that acme has not sent before. */
  resale(): Readonly<Record<string, Json>> {
    return {
      ...lunch,
      quantity: 1,
      transaction_reference: this.fresh('order'),
      transaction_date: '2027-01-31T12:00:00Z',
      transaction_amount: 900,
      first_name: 'Zoë & Co',
      last_name: 'Lee',
    };
  }

  /** A purchase that acme has resold. */
  async resold(): Promise<Json> {
    const body = this.resale();
    const answer = await this.service.ask('POST', '/api/v3/resellers/purchases', { basic: this.basic, body });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body;
  }

  /** A coupon that acme has resold. */
  async resoldCoupon(): Promise<string> {
    return (await this.resold()).coupons[0].id;
  }

  /** Builds a finished generation of a projection beside the live one. */
  async rebuilt(view: string): Promise<string> {
    const token = this.service.operatorToken;
    for (;;) {
      await this.nothingBuilt(view);
      const { status, body, text } = await this.service.ask('POST', `/operators/projections/${view}/rebuild`, {
        token,
      });
      // Another caller may have started a rebuild at the same moment.
      if (status === 422) continue;
      if (status !== 200) throw new Error(text);
      await this.nothingBuilt(view);
      await this.fewGenerations(view, body.generation);
      return String(body.generation);
    }
  }

  /** Drops the oldest generations, because every event goes to each one. */
  async fewGenerations(view: string, but: number): Promise<void> {
    const path = `/operators/projections/${view}/generations`;
    const token = this.service.operatorToken;
    const { generations } = (await this.service.ask('GET', path, { token })).body;
    const idle = (generations as Json[]).filter(({ number, state }) => state === 'ready' && number !== but);
    for (const { number } of idle.slice(0, -SPARE_GENERATIONS)) {
      await this.service.ask('DELETE', `${path}/${number}`, { token });
    }
  }

  /** Waits until no generation of a projection is being built. */
  async nothingBuilt(view: string): Promise<void> {
    await this.#until(`/projections/${view}/generations`, ({ generations }) =>
      generations.every(({ state }: Json) => state !== 'building'),
    );
  }

  operate(method: string, path: string, body?: unknown): Promise<Json> {
    return this.service.operate(method, path, body);
  }
}

/** The generations that unsent samples name. */
const SPARE_GENERATIONS = 4;

const lunch = { deal_id: 'lunch' };
const OTHER_CARD = '5555555555554444';
const reason = { reason: 'a test' };
const ADDRESS = { address_one: '1 Main St', postal_code: '02114', city: 'Boston', state: 'MA', country: 'US' };

/** Every route of the service. A new route needs a line here. */
export const TABLE: Readonly<Record<string, Line>> = {
  'GET /deals': {
    who: 'partner',
    list: 'deals',
    noPage: 404,
    common: true,
    sample: () => ({ send: { region: 'testland' } }),
  },
  'GET /api/v3/deals': {
    who: 'partner-v3',
    list: 'deals',
    noPage: 400,
    common: true,
    sample: () => ({ send: { fields: 'id,images[small]', filter: 'region[testland]' } }),
  },
  'GET /deals/locate': {
    who: 'partner',
    list: 'deals',
    noPage: 404,
    common: true,
    sample: () => ({ send: { latitude: 42.36, longitude: -71.06, radius: 5 } }),
  },
  'GET /regions': { who: 'partner', list: 'regions', common: true, sample: () => ({}) },
  'GET /regions/:region_id': {
    who: 'partner',
    common: true,
    sample: () => ({ ids: { region_id: 'testland' } }),
  },
  'GET /regions/:place/deals': {
    who: 'partner',
    list: 'deals',
    common: true,
    sample: () => ({ ids: { place: 'testland' } }),
  },
  'GET /regions/:city/:state/deals': {
    who: 'partner',
    list: 'deals',
    common: true,
    sample: () => ({ ids: { city: 'Boston', state: 'MA' } }),
  },
  'GET /api/v3/regions/:place/deals': {
    who: 'partner-v3',
    list: 'deals',
    noPage: 400,
    common: true,
    sample: () => ({ ids: { place: 'testland' } }),
  },
  'GET /api/v3/regions/:city/:state/deals': {
    who: 'partner-v3',
    list: 'deals',
    noPage: 400,
    common: true,
    sample: () => ({ ids: { city: 'Boston', state: 'MA' } }),
  },
  'GET /deals/:deal_id': { who: 'partner', common: true, sample: () => ({ ids: lunch }) },

  'POST /users': {
    who: 'partner',
    common: true,
    sample: (world) => ({
      send: { email: world.email(), first_name: 'Zoë & Co', partner_data: { tier: 'gold' } },
      seen: ({ user_id }) => [`/users/${user_id}`, 'Zoë & Co'],
    }),
  },
  'GET /users': {
    who: 'partner',
    common: true,
    sample: async (world) => {
      const email = world.email();
      await world.service.newUser(world.acme.key, email);
      return { send: { email } };
    },
  },
  'GET /users/:user_id/export': {
    who: 'partner',
    timed: ['exported_at'],
    sample: async (world) => ({ ids: { user_id: await world.user() } }),
  },
  'GET /users/:user_id': { who: 'partner', sample: async (world) => ({ ids: { user_id: await world.user() } }) },
  'PUT /users/:user_id': {
    who: 'partner',
    sample: async (world) => ({
      ids: { user_id: await world.user() },
      send: { first_name: 'Neo' },
      seen: ({ user }) => [`/users/${user.id}`, '"firstname":"Neo"'],
    }),
  },
  'PUT /users/:email/update_by_email': {
    who: 'partner',
    common: true,
    sample: (world) => ({
      ids: { email: world.email() },
      send: { first_name: 'Eve' },
      seen: ({ user }) => [`/users/${user.id}`, '"firstname":"Eve"'],
    }),
  },
  'GET /user': { who: 'partner', sample: async (world) => ({ send: { user_id: await world.user() } }) },
  'PUT /user': {
    who: 'partner',
    sample: async (world) => ({
      send: { user_id: await world.user(), first_name: 'Trinity' },
      seen: ({ user }) => [`/users/${user.id}`, '"firstname":"Trinity"'],
    }),
  },
  'POST /users/:user_id/access_tokens': {
    who: 'partner',
    secrets: ['id'],
    sample: async (world) => {
      const user_id = await world.user();
      return {
        ids: { user_id },
        send: { expires_in: 600, scope: 'user', access: 'read' },
        // The token works at once.
        seen: ({ access_token }) => [`/users/${user_id}?access_token=${access_token.id}`, user_id],
      };
    },
  },
  'GET /users/:user_id/access_tokens': {
    who: 'partner',
    list: 'access_tokens',
    sample: async (world) => {
      const user_id = await world.user();
      for (let n = 0; n < 2; n += 1) await world.token(user_id);
      return { ids: { user_id } };
    },
  },
  'DELETE /users/:user_id/access_tokens/:id': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      const path = `/users/${user_id}/access_tokens`;
      await world.token(user_id);
      const listed = await world.service.look(path, world.acme.key);
      return {
        ids: { user_id, id: listed.body.access_tokens[0].id },
        seen: () => [path, '"access_tokens":[]'],
      };
    },
  },
  'GET /credit_cards': {
    who: 'partner',
    list: 'credit_cards',
    sample: async (world) => {
      const user_id = await world.user();
      await world.card(user_id);
      await world.card(user_id, OTHER_CARD);
      return { send: { user_id } };
    },
  },
  'POST /credit_cards': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return {
        send: { user_id, ...cardOf(GOOD_CARD), month: 12, year: 2035 },
        seen: ({ credit_card_id }) => [`/credit_cards?user_id=${user_id}`, credit_card_id],
      };
    },
  },
  'PUT /credit_cards/:credit_card_id/default': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      await world.card(user_id);
      const credit_card_id = await world.card(user_id, OTHER_CARD);
      return {
        ids: { credit_card_id },
        seen: () => [`/credit_cards?user_id=${user_id}`, '"number":"XXXX4444","type":"mastercard","primary":true'],
      };
    },
  },
  'DELETE /credit_cards/:credit_card_id': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      const credit_card_id = await world.card(user_id);
      return {
        ids: { credit_card_id },
        seen: () => [`/credit_cards?user_id=${user_id}&deleted=true`, '"primary":false,"deleted":true'],
      };
    },
  },
  'DELETE /shipping_addresses/:shipping_address_id': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      const body = { user_id, name: world.fresh('Ann'), ...ADDRESS };
      const stored = await world.service.ask('POST', '/shipping_addresses', { key: world.acme.key, body });
      const { shipping_address_id } = stored.body;
      const list = `/users/${user_id}/shipping_addresses`;
      const { count } = (await world.service.look(`${list}?count=true`, world.acme.key)).body;
      return { ids: { shipping_address_id }, seen: () => [`${list}?count=true`, `"count":${count - 1}`] };
    },
  },
  'POST /shipping_addresses': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return {
        send: { user_id, name: 'Ann Lee', ...ADDRESS },
        seen: ({ shipping_address_id }) => [`/users/${user_id}/shipping_addresses`, shipping_address_id],
      };
    },
  },
  'GET /users/:user_id/shipping_addresses': {
    who: 'partner',
    list: 'shipping_addresses',
    sample: async (world) => ({ ids: { user_id: await world.addressed() } }),
  },
  'GET /shipping_addresses': {
    who: 'partner',
    list: 'shipping_addresses',
    sample: async (world) => ({ send: { user_id: await world.addressed() } }),
  },

  'POST /saved_deals': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return {
        send: { ...lunch, user_id },
        seen: ({ saved_deal }) => [`/users/${user_id}/saved_deals`, saved_deal.id],
      };
    },
  },
  'GET /users/:user_id/saved_deals': {
    who: 'partner',
    list: 'saved_deals',
    sample: async (world) => ({ ids: { user_id: await world.keeper() } }),
  },
  'GET /saved_deals': {
    who: 'partner',
    list: 'saved_deals',
    sample: async (world) => ({ send: { user_id: await world.keeper() } }),
  },
  'DELETE /saved_deals/:saved_deal_id': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return {
        ids: { saved_deal_id: await world.saved(user_id) },
        seen: () => [`/users/${user_id}/saved_deals`, '"saved_deals":[]'],
      };
    },
  },

  'POST /users/:user_id/subscriptions': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return {
        ids: { user_id },
        send: { zip: 2114 },
        seen: ({ subscription }) => [`/users/${user_id}/subscriptions`, subscription.id],
      };
    },
  },
  'GET /users/:user_id/subscriptions': {
    who: 'partner',
    list: 'subscriptions',
    sample: async (world) => ({ ids: { user_id: await world.subscriber() } }),
  },
  'GET /subscriptions': {
    who: 'partner',
    list: 'subscriptions',
    sample: async (world) => ({ send: { user_id: await world.subscriber() } }),
  },
  'GET /subscriptions/:subscription_id': {
    who: 'partner',
    sample: async (world) => ({ ids: { subscription_id: await world.subscribed(await world.user()) } }),
  },
  'PUT /subscriptions/:subscription_id': {
    who: 'partner',
    sample: async (world) => {
      const subscription_id = await world.subscribed(await world.user());
      return {
        ids: { subscription_id },
        send: { status: 'inactive' },
        seen: () => [`/subscriptions/${subscription_id}`, '"status":"inactive"'],
      };
    },
  },
  'GET /m/confirm/:signed': {
    who: 'public',
    sample: async (world) => ({ ids: await world.signed('confirmation') }),
  },
  'POST /m/confirm/:signed': {
    who: 'public',
    sample: async (world) => ({ ids: await world.signed('confirmation') }),
  },
  'GET /m/unsubscribe/:signed': {
    who: 'public',
    sample: async (world) => ({ ids: await world.signed('end-of-subscription') }),
  },
  'POST /m/unsubscribe/:signed': {
    who: 'public',
    sample: async (world) => ({ ids: await world.signed('end-of-batch-mails') }),
  },

  'POST /card_links': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return {
        send: { user_id, deal_id: await world.offer() },
        seen: ({ card_link }) => [`/users/${user_id}/card_links`, card_link.id],
      };
    },
  },
  'GET /users/:user_id/card_links': {
    who: 'partner',
    list: 'card_links',
    sample: async (world) => ({ ids: { user_id: await world.holder() } }),
  },
  'GET /card_links': {
    who: 'partner',
    list: 'card_links',
    sample: async (world) => ({ send: { user_id: await world.holder() } }),
  },
  'PUT /card_links/:card_link_id/unlink': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return {
        ids: { card_link_id: await world.linked(user_id) },
        seen: ({ card_link }) => [`/users/${user_id}/card_links?filter=unlinked`, card_link.id],
      };
    },
  },
  'PUT /card_links/:card_link_id/link': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      const card_link_id = await world.linked(user_id);
      await world.service.ask('PUT', `/card_links/${card_link_id}/unlink`, { key: world.acme.key });
      return {
        ids: { card_link_id },
        seen: ({ card_link }) => [`/users/${user_id}/card_links?filter=linked`, card_link.id],
      };
    },
  },
  'PUT /card_links/:card_link_id/redeem': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      const card_link_id = await world.linked(user_id);
      const transaction_date = '2026-01-31T12:00:00';
      const transaction = { transaction_amount: 2500, transaction_date, transaction_reference: 'till-1' };
      return {
        ids: { card_link_id },
        send: { ...transaction, max_redemption: true },
        seen: () => [`/users/${user_id}/card_links?filter=fulfilled`, card_link_id],
      };
    },
  },

  'POST /targeted_email/batches': {
    who: 'partner',
    created: true,
    sample: async (world) => ({
      send: await world.batchOf(),
      seen: ({ batch }) => [`/targeted_email/batches/${batch.id}?deal_id=lunch`, '"status":"pending"'],
    }),
  },
  'GET /targeted_email/batches': {
    who: 'partner',
    list: 'batches',
    common: true,
    sample: async (world) => {
      await world.batch();
      await world.batch();
      return { send: lunch };
    },
  },
  'GET /targeted_email/batches/:batch_id': {
    who: 'partner',
    sample: async (world) => ({ ids: { batch_id: await world.batch() }, send: lunch }),
  },
  'DELETE /targeted_email/batches/:batch_id': {
    who: 'partner',
    sample: async (world) => {
      const batch_id = await world.batch();
      return {
        ids: { batch_id },
        send: lunch,
        seen: () => [`/targeted_email/batches/${batch_id}?deal_id=lunch`, '"status":"cancelled"'],
      };
    },
  },

  'POST /purchases/full': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return {
        send: { ...lunch, quantity: 1, user_id, credit_card: cardOf(GOOD_CARD) },
        seen: ({ purchase }) => [`/users/${user_id}/purchases`, purchase.id],
      };
    },
  },
  'POST /purchases': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      const credit_card_id = await world.card(user_id);
      return {
        send: { ...lunch, quantity: 1, user_id, credit_card_id, expected_price_per_unit: 1000 },
        seen: ({ purchase }) => [`/users/${user_id}/purchases`, purchase.id],
      };
    },
  },
  'POST /purchases/reserve': {
    who: 'partner',
    common: true,
    sample: () => ({
      send: { ...lunch, num_bought: 1 },
      seen: ({ purchase }) => [`/purchases/${purchase.id}`, '"fulfillment_state":"reserved"'],
    }),
  },
  'PUT /purchases/:purchase_id/claim': {
    who: 'partner',
    sample: async (world) => ({
      ids: { purchase_id: (await world.held()).id },
      send: { user_id: await world.user() },
      seen: ({ purchase }) => [`/purchases/${purchase.id}`, '"fulfillment_state":"fulfilled"'],
    }),
  },
  'PUT /purchases/:purchase_id/release': {
    who: 'partner',
    sample: async (world) => ({
      ids: { purchase_id: (await world.held()).id },
      seen: ({ purchase }) => [`/purchases/${purchase.id}`, '"fulfillment_state":"released"'],
    }),
  },
  'GET /purchases/:purchase_id': {
    who: 'partner',
    sample: async (world) => ({ ids: { purchase_id: (await world.bought()).id } }),
  },
  'GET /users/:user_id/purchases': {
    who: 'partner',
    list: 'purchases',
    sample: async (world) => ({ ids: { user_id: await world.buyer() } }),
  },
  'GET /purchases': {
    who: 'partner',
    list: 'purchases',
    sample: async (world) => ({ send: { user_id: await world.buyer() } }),
  },
  'GET /coupons': {
    who: 'partner',
    list: 'coupons',
    sample: async (world) => ({ send: { user_id: await world.buyer() } }),
  },
  'GET /users/:user_id/coupons': {
    who: 'partner',
    list: 'coupons',
    sample: async (world) => ({ ids: { user_id: await world.buyer() } }),
  },
  'GET /coupons/:coupon_id': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return { ids: { coupon_id: (await world.coupon(user_id)).id } };
    },
  },
  'PUT /coupons/redeem': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return {
        send: { coupon: (await world.coupon(user_id)).id.toUpperCase() },
        seen: ({ coupon }) => [`/users/${user_id}/coupons?filter=redeemed`, coupon.id],
      };
    },
  },
  'PUT /users/:user_id/coupons/:coupon_id/redeem': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return {
        ids: { user_id, coupon_id: (await world.coupon(user_id)).id },
        seen: ({ coupon }) => [`/users/${user_id}/coupons?filter=redeemed`, coupon.id],
      };
    },
  },
  'PUT /coupons/:coupon_id/redeem': {
    who: 'partner',
    sample: async (world) => {
      const user_id = await world.user();
      return {
        ids: { coupon_id: (await world.coupon(user_id)).id },
        seen: ({ coupon }) => [`/users/${user_id}/coupons?filter=redeemed`, coupon.id],
      };
    },
  },
  'POST /api/v3/resellers/purchases': {
    who: 'partner-v3',
    common: true,
    sample: (world) => ({
      send: world.resale(),
      seen: ({ coupons: [coupon] }) => [`/api/v3/coupons/${coupon.id}`, coupon.barcode],
    }),
  },
  'GET /api/v3/resellers/purchases': {
    who: 'partner-v3',
    common: true,
    sample: async (world) => {
      const body = world.resale();
      await world.service.ask('POST', '/api/v3/resellers/purchases', { basic: world.basic, body });
      return { send: { transaction_reference: body['transaction_reference'] } };
    },
  },
  'GET /api/v3/coupons/:coupon_id': {
    who: 'partner-v3',
    sample: async (world) => ({ ids: { coupon_id: await world.resoldCoupon() } }),
  },
  'DELETE /api/v3/coupons/:coupon_id/cancel': {
    who: 'partner-v3',
    sample: async (world) => {
      const coupon_id = await world.resoldCoupon();
      return { ids: { coupon_id }, seen: () => [`/api/v3/coupons/${coupon_id}`, '"state":"cancelled"'] };
    },
  },
  'GET /coupons/:coupon_id/:signature/qr.png': {
    who: 'public',
    sample: async (world) => ({ ids: signedParts((await world.coupon()).qr_code_url) }),
  },
  'GET /coupons/:coupon_id/:signature/print': {
    who: 'public',
    sample: async (world) => ({ ids: signedParts((await world.coupon()).print_url) }),
  },
  'GET /C/:coupon_id': {
    who: 'public',
    sample: async (world) => ({ ids: { coupon_id: (await world.coupon()).id.toUpperCase() } }),
  },
  'GET /c/:coupon_id': { who: 'public', sample: async (world) => ({ ids: { coupon_id: (await world.coupon()).id } }) },
  'GET /health/live': { who: 'public', sample: () => ({}) },
  'GET /metrics': { who: 'auditor', inText: /^holdfast_\w+ \d+$/, unread: true, sample: () => ({}) },
  'GET /health/ready': { who: 'public', knowsOperators: true, sample: () => ({}) },
  'GET /openapi.json': { who: 'public', sample: () => ({}) },
  'GET /docs': { who: 'public', sample: () => ({}) },
  'GET /': { who: 'public', sample: () => ({}) },
  'GET /images/:name': { who: 'public', sample: () => ({ ids: { name: 'rowing.svg' } }) },
  'GET /deals/:deal_id/purchase': { who: 'public', sample: () => ({ ids: { deal_id: 'supper' } }) },

  'GET /operators/partners': { who: 'auditor', list: 'partners', sample: () => ({}) },
  'POST /operators/partners': {
    who: 'operator',
    secrets: ['api_key', 'password'],
    sample: (world) => ({
      send: { name: 'New', slug: world.fresh('partner') },
      seen: ({ partner }) => ['/operators/partners', partner.id],
    }),
  },
  'PUT /operators/partners/:id': {
    who: 'operator',
    sample: async (world) => {
      const slug = world.fresh('partner');
      const storefront_url = `https://${slug}.example/offers/{deal_id}`;
      return {
        ids: { id: (await world.service.newPartner(slug)).id },
        send: { storefront_url, suspended: true },
        seen: () => ['/operators/partners', `"storefront_url":"${storefront_url}","suspended":true`],
      };
    },
  },
  'POST /operators/partners/:id/keys': {
    who: 'operator',
    secrets: ['api_key'],
    sample: ({ acme }) => ({
      ids: { id: acme.id },
      send: { name: 'till', scope: 'coupon', access: 'read,write' },
      seen: ({ key_id }) => ['/operators/partners', key_id],
    }),
  },
  'DELETE /operators/partners/:id/keys/:key_id': {
    who: 'operator',
    sample: async (world) => {
      const { id } = world.acme;
      const { key_id } = await world.operate('POST', `/partners/${id}/keys`);
      return {
        ids: { id, key_id },
        seen: () => [
          '/operators/partners',
          // The last use goes with the key.
          new RegExp(`{"key_id":"${key_id}",[^{}]*"last_used_on":null,"revoked":true}`),
        ],
      };
    },
  },
  'POST /operators/partners/:id/password': {
    who: 'operator',
    secrets: ['password'],
    // For a partner of its own: the v3 calls still use the other partners' passwords.
    sample: async (world) => {
      const slug = world.fresh('partner');
      return { ids: { id: (await world.service.newPartner(slug)).id } };
    },
  },
  'GET /operators/tokens': { who: 'auditor', list: 'tokens', sample: () => ({}) },
  'POST /operators/tokens': {
    who: 'operator',
    secrets: ['token'],
    sample: (world) => ({
      send: { name: world.fresh('token'), role: 'auditor' },
      seen: ({ id }) => ['/operators/tokens', id],
    }),
  },
  'DELETE /operators/tokens/:id': {
    who: 'operator',
    sample: async (world) => {
      const { id } = await world.operate('POST', '/tokens', { name: world.fresh('token'), role: 'auditor' });
      return { ids: { id } };
    },
  },
  'GET /operators/keys': { who: 'auditor', list: 'keys', sample: () => ({}) },
  'POST /operators/keys/:key/rotate': {
    who: 'operator',
    sample: async (world) => {
      await world.noRotation();
      return { ids: { key: 'urls' }, send: { reason: world.fresh('rotation') } };
    },
  },
  'GET /operators/settings': { who: 'auditor', list: 'settings', sample: () => ({}) },
  'GET /operators/clock': { who: 'auditor', sample: () => ({}) },
  'PUT /operators/clock': {
    who: 'operator',
    sample: async (world) => {
      const now = at((await timeOf(world.service)) + 60_000);
      return { send: { now }, seen: () => ['/operators/clock', now.slice(0, 16)] };
    },
  },
  'GET /operators/metrics': { who: 'auditor', sample: () => ({ send: { span: 'day', series: 'sales_per_second' } }) },
  'GET /operators/projections': { who: 'auditor', sample: () => ({}) },
  'GET /operators/projections/:view/generations': { who: 'auditor', sample: () => ({ ids: { view: 'regions' } }) },
  'POST /operators/projections/:view/rebuild': {
    who: 'operator',
    sample: async (world) => {
      await world.nothingBuilt('regions');
      return { ids: { view: 'regions' } };
    },
  },
  'POST /operators/projections/:view/generations/:n/promote': {
    who: 'operator',
    sample: async (world) => ({ ids: { view: 'regions', n: await world.rebuilt('regions') } }),
  },
  'POST /operators/projections/:view/generations/:n/cancel': {
    who: 'operator',
    sample: async (world) => ({ ids: { view: 'deals', n: await world.rebuilt('deals') } }),
  },
  'DELETE /operators/projections/:view/generations/:n': {
    who: 'operator',
    sample: async (world) => ({ ids: { view: 'deals', n: await world.rebuilt('deals') } }),
  },
  'POST /operators/projections/:view/resume': {
    who: 'operator',
    noEvent: true,
    refused: true,
    sample: () => ({ ids: { view: 'regions' } }),
  },
  'POST /operators/projections/:view/skip': {
    who: 'operator',
    noEvent: true,
    refused: true,
    sample: () => ({ ids: { view: 'regions' }, send: { position: '1' } }),
  },
  'POST /operators/projections/:view/generations/:n/compare': {
    who: 'operator',
    noEvent: true,
    sample: async (world) => ({ ids: { view: 'deals', n: await world.rebuilt('deals') } }),
  },
  'GET /operators/work': { who: 'auditor', list: 'lists', named: 'list', sample: () => ({}) },
  'GET /operators/work/:list': {
    who: 'auditor',
    list: 'work',
    named: 'key',
    sample: async (world) => {
      await world.held();
      await world.held();
      return { ids: { list: 'hold-expiry' } };
    },
  },
  'POST /operators/work/:list/:key/retry': {
    who: 'operator',
    noEvent: true,
    refused: true,
    sample: async (world) => ({ ids: { list: 'hold-expiry', key: (await world.held()).id } }),
  },
  'POST /operators/work/:list/:key/abandon': {
    who: 'operator',
    sample: async (world) => ({
      ids: { list: 'hold-expiry', key: (await world.held()).id },
      send: { reason: world.fresh('reason') },
    }),
  },
  'PUT /operators/regions/:slug': {
    who: 'operator',
    sample: (world) => ({
      ids: { slug: world.fresh('region') },
      send: { name: 'Region', time_zone: 'Europe/Lisbon' },
    }),
  },
  'GET /operators/deals/:slug': { who: 'auditor', common: true, sample: () => ({ ids: { slug: 'supper' } }) },
  'PUT /operators/deals/:slug': {
    who: 'operator',
    sample: (world) => ({ ids: { slug: 'supper' }, send: { title: world.fresh('Supper') } }),
  },
  'POST /operators/import': {
    who: 'operator',
    sample: (world) => {
      const slug = world.fresh('imported');
      return { lines: JSON.stringify({ kind: 'region', slug, name: slug, time_zone: 'America/New_York' }) };
    },
  },
  'POST /operators/deals/:slug/transitions': {
    who: 'operator',
    sample: async (world) => {
      const slug = world.fresh('deal');
      await world.service.newDeal(slug);
      return { ids: { slug }, send: { to: 'paused' } };
    },
  },
  'PUT /operators/deals/:slug/stock': {
    who: 'operator',
    sample: async (world) => {
      const slug = world.fresh('deal');
      await world.service.newDeal(slug);
      return { ids: { slug }, send: { units: 7 } };
    },
  },
  ...lookedUp('regions', () => undefined),
  ...lookedUp('imports', (world) => world.imported()),
  ...lookedUp('deals', () => undefined),
  ...lookedUp('purchases', (world) => world.buyer()),
  ...lookedUp('reservations', (world) => world.held()),
  ...lookedUp('coupons', (world) => world.buyer()),
  ...lookedUp('users', (world) => world.user()),
  ...lookedUp('credit_cards', async (world) => world.card(await world.user())),
  ...lookedUp('access_tokens', async (world) => world.token(await world.user())),
  ...lookedUp('card_links', (world) => world.holder()),
  ...lookedUp('subscriptions', (world) => world.subscriber()),
  ...lookedUp('saved_deals', (world) => world.keeper()),
  ...lookedUp('batches', (world) => world.batch()),
  'POST /operators/find': {
    who: 'auditor',
    common: true,
    noEvent: true,
    sample: () => ({ send: { q: 'supper' } }),
  },
  'GET /operators/find': { who: 'auditor', common: true, sample: () => ({ send: { q: 'supper' } }) },
  'GET /operators/users/:id': { who: 'auditor', sample: async (world) => ({ ids: { id: await world.user() } }) },
  'GET /auditors/users/:id/reads': {
    who: 'auditor',
    sample: async (world) => {
      const id = await world.user();
      await world.operate('GET', `/users/${id}`);
      return { ids: { id } };
    },
  },
  'GET /operators/batches/:id': { who: 'auditor', sample: async (world) => ({ ids: { id: await world.batch() } }) },
  'GET /operators/purchases/:id': {
    who: 'auditor',
    sample: async (world) => ({ ids: { id: (await world.bought()).id } }),
  },
  'GET /operators/coupons/:id': {
    who: 'auditor',
    sample: async (world) => ({ ids: { id: (await world.coupon()).id } }),
  },
  'POST /operators/coupons/:id/cancel': {
    who: 'operator',
    sample: async (world) => ({ ids: { id: (await world.coupon()).id }, send: reason }),
  },
  'POST /operators/coupons/:id/reissue': {
    who: 'operator',
    sample: async (world) => ({ ids: { id: (await world.coupon()).id }, send: reason }),
  },
  'POST /operators/purchases/:id/refund': {
    who: 'operator',
    sample: async (world) => ({ ids: { id: (await world.bought()).id }, send: reason }),
  },
  'GET /operators/users/:id/export': {
    who: 'auditor',
    sample: async (world) => ({ ids: { id: await world.user() } }),
  },
  'POST /operators/users/:id/erase': {
    who: 'operator',
    sample: async (world) => ({ ids: { id: await world.user() }, send: reason }),
  },
  'POST /operators/purchases/:id/erase': {
    who: 'operator',
    sample: async (world) => ({ ids: { id: (await world.resold()).id }, send: reason }),
  },
  'POST /operators/purchases/:id/void': {
    who: 'operator',
    sample: async (world) => {
      const user_id = await world.user();
      const body = { ...lunch, quantity: 1, user_id, credit_card_id: await world.card(user_id, SILENT_CARD) };
      const answer = await world.service.ask('POST', '/purchases', {
        key: world.acme.key,
        body: { ...body, expected_price_per_unit: 1000 },
      });
      return { ids: { id: answer.body.purchase.id }, send: reason };
    },
  },
  'GET /auditors/purchases/:id/history': {
    who: 'auditor',
    sample: async (world) => ({ ids: { id: (await world.bought()).id } }),
  },
  'GET /auditors/purchases/:id': {
    who: 'auditor',
    sample: async (world) => ({ ids: { id: (await world.bought()).id } }),
  },
  'GET /auditors/coupons/:id': {
    who: 'auditor',
    sample: async (world) => ({ ids: { id: (await world.coupon()).id } }),
  },
  'GET /auditors/deals/:id': { who: 'auditor', common: true, sample: () => ({ ids: { id: 'supper' } }) },
  'GET /auditors/users/:id': {
    who: 'auditor',
    sample: async (world) => ({ ids: { id: await world.user() } }),
  },
  'GET /auditors/card_links/:id': {
    who: 'auditor',
    sample: async (world) => ({ ids: { id: await world.linked(await world.user()) } }),
  },
  'GET /auditors/streams/:stream': {
    who: 'auditor',
    sample: async (world) => ({ ids: { stream: `purchase-${(await world.bought()).id}` } }),
  },
  'GET /auditors/deals/:slug/ledger': {
    who: 'auditor',
    common: true,
    sample: () => ({ ids: { slug: 'supper' } }),
  },
  'GET /auditors/deals/:slug/certificate': {
    who: 'auditor',
    common: true,
    inText: /^verdict: sound$/,
    sample: () => ({ ids: { slug: 'supper' } }),
  },
  'GET /auditors/deals/:slug/events': {
    who: 'auditor',
    common: true,
    inLines: true,
    sample: () => ({ ids: { slug: 'supper' } }),
  },
  'GET /auditors/log': {
    who: 'auditor',
    common: true,
    inLines: true,
    sample: () => ({ send: { type: 'region-set' } }),
  },
  'POST /operators/backup': {
    who: 'operator',
    noEvent: true,
    sample: () => ({ send: { keep: '7d,4w,12m' }, seen: () => ['/operators/backup', 'began_at'] }),
  },
  'GET /operators/backup': { who: 'auditor', sample: () => ({}) },
  'GET /operators/backup/state': {
    who: 'operator',
    inLines: true,
    endless: 'follow',
    sample: () => ({}),
  },
  'GET /auditors/verification': {
    who: 'auditor',
    common: true,
    inLines: true,
    sample: () => ({}),
  },
};

/** The line of a list for operators and auditors. @param make makes one of what it lists */
function lookedUp(name: string, make: (world: World) => unknown): Readonly<Record<string, Line>> {
  const sample = async (world: World): Promise<Sample> => {
    await make(world);
    return { send: { limit: 2 } };
  };
  return { [`GET /operators/${name}`]: { who: 'auditor', common: true, sample } };
}

/** The parts of a signed address. */
function signedParts(url: string): Readonly<Record<string, string>> {
  const [, , coupon_id = '', signature = ''] = new URL(url).pathname.split('/');
  return { coupon_id, signature };
}
