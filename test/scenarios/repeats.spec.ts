import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { ModulesContainer } from '@nestjs/core';
import { pino } from 'pino';
import { DAY, utcTime } from '#kernel';
import { signedPart } from '#engagement/module';
import { createHttpApp, openService, readConfig, realSurroundings } from '#platform';
import { timeOf } from '../support/buying.js';
import { cardOf, DECLINED_CARD, GOOD_CARD, personOf, SILENT_CARD, storeCard } from '../support/cards.js';
import { remove } from '../support/data-folder.js';
import { keyringOf } from '../support/keyring-of.js';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { thisMachine } from '#adapters/machine';
import { newDataDir, RunningService, type Json } from '../support/running-service.js';

type App = Awaited<ReturnType<typeof createHttpApp>>;
type Service = Awaited<ReturnType<typeof openService>>;

interface Ask {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly body?: Json;
  /** The user name and v3 password of the caller; without them, the key of the partner or the token of the operator. */
  readonly basic?: string;
  /** The content type of a body that is not JSON. */
  readonly contentType?: string;
}

interface Line {
  /** The command that the call sends. */
  readonly command: string;
  readonly title: string;
  readonly call: Ask;
  /** Given the answer, closes what the call has created; a repeat after that must not begin anything either. */
  readonly close?: (made: Json) => readonly Ask[];
  /** A reservation past its deadline reads released (ruling B6). */
  readonly ranOut?: boolean;
  /** A repeat cannot show the secrets of the first answer again, and refuses. */
  readonly secrets?: 'refused';
  /** The status of the first answer; 200 by default. */
  readonly status?: number;
  /** The answer counts what this call changed: a repeat has changed nothing. */
  readonly counts?: boolean;
}

/** Where Nest keeps the command of a handler; its package does not export the name. */
const COMMAND_HANDLER_METADATA = '__commandHandler__';
const ADDRESS = { address_one: '1 Main St', postal_code: '02114', city: 'Boston', state: 'MA', country: 'US' };

/**
 * Sends each line's call, and sends it again under its Idempotency-Key to a process without memory or stored answers, as if the
 * first call had broken off after all its work: the process sees in the streams that the work is done.
 */
describeOnEmbedded('A11: a command that runs again under its id, after all its work is done', () => {
  const dataDir = newDataDir();
  const firsts = new Map<Line, { readonly status: number; readonly body: Json }>();
  let lines: readonly Line[];
  let operatorToken: string;
  let key: string;
  let service: Service;
  let app: App;
  let sent: string[];

  /** A process without memory, on the same data. */
  async function open(): Promise<void> {
    const config = readConfig({ DATA_DIR: dataDir, DEMO: 'false', TEST_CLOCK: 'true', GATEWAY_TIMEOUT: '2500' });
    const logger = pino({ level: 'silent' });
    service = await openService(config, logger, realSurroundings(thisMachine));
    service.initialized = true;
    service.keys.start();
    service.publicUrl.href = 'http://127.0.0.1';
    const { records } = service.engine;
    records.keep = (record) => records.free(record);
    app = await createHttpApp(service, logger, config);
    await app.init();
    const bus = app.get(CommandBus);
    const execute = bus.execute.bind(bus);
    bus.execute = (command: object) => {
      sent.push(command.constructor.name);
      return execute(command as never);
    };
    while ((await app.inject('/health/ready')).statusCode !== 200) await pause(20);
  }
  async function close(): Promise<void> {
    await app.close();
    await service.close();
  }

  async function ask(
    { method, url, body, basic, contentType }: Ask,
    idempotencyKey: string,
  ): Promise<{ status: number; body: Json }> {
    sent = [];
    const token = url.startsWith('/operators') ? `Bearer ${operatorToken}` : undefined;
    const authorization = basic === undefined ? token : `Basic ${Buffer.from(basic).toString('base64')}`;
    const answer = await app.inject({
      method,
      url,
      payload: body,
      headers: {
        'idempotency-key': idempotencyKey,
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...(authorization === undefined ? { 'x-api-key': key } : { authorization }),
      },
    });
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    return { status: answer.statusCode, body: isJson ? answer.json() : answer.body };
  }

  /** Sends the line's call again: it must write nothing and answer the same. */
  async function expectRepeat(line: Line, closed = false): Promise<void> {
    const { log } = service.engine;
    const [before, first] = [await log.head(), firsts.get(line)];
    const again = await ask(line.call, line.title);
    if (line.counts === true) expect(again).toMatchObject({ status: 200, body: { changed: 0, unchanged: 1 } });
    else if (line.secrets === 'refused') expect(again).toMatchObject({ status: 409 });
    else if (closed && line.ranOut === true) {
      const { purchase } = first?.body ?? {};
      expect(again.body).toEqual({ ...first?.body, purchase: { ...purchase, fulfillment_state: 'released' } });
    } else expect({ line: line.title, ...again }).toEqual({ line: line.title, ...first });
    expect([line.title, await log.head()]).toEqual([line.title, before]);
  }

  beforeAll(async () => {
    const shop = await RunningService.start({ dataDir, env: { GATEWAY_TIMEOUT: '2500', TIMERS: 'false' } });
    operatorToken = shop.operatorToken;
    const acme = await shop.newPartner('acme');
    ({ key } = acme);
    const [ann, bob] = [await shop.newUser(key, 'ann@example.org'), await shop.newUser(key, 'bob@example.org')];
    const card = await storeCard(shop, key, ann);
    const other = await storeCard(shop, key, ann, '5555555555554444');
    const thrownAway = await storeCard(shop, key, ann, '4111111111111111');
    const left = (await shop.ask('POST', '/shipping_addresses', { key, body: { user_id: bob, ...ADDRESS } })).body
      .shipping_address_id;
    for (const slug of ['spa', 'moved', 'stocked', 'last', 'lent', 'declined']) await shop.newDeal(slug, { stock: 50 });
    for (const slug of ['last', 'lent']) await shop.operate('PUT', `/deals/${slug}/stock`, { units: 1 });
    const reserve = async (): Promise<string> =>
      (await shop.ask('POST', '/purchases/reserve', { key, body: { deal_id: 'spa', num_bought: 1 } })).body.purchase.id;
    const buy = async (number = GOOD_CARD): Promise<Json> => {
      const body = { deal_id: 'spa', quantity: 1, user_id: bob, credit_card: cardOf(number) };
      return (await shop.ask('POST', '/purchases/full', { key, body })).body.purchase;
    };
    const couponOf = async (): Promise<string> => (await buy()).coupons[0].id;
    const [claimed, released] = [await reserve(), await reserve()];
    const [redeemed, cancelled, reissued] = [await couponOf(), await couponOf(), await couponOf()];
    const [refunded, voided] = [(await buy()).id, (await buy(SILENT_CARD)).id];
    const { id: keyId } = { id: (await shop.operate('POST', `/partners/${acme.id}/keys`)).key_id };
    const { id: suspendedId } = await shop.newPartner('suspended');
    const issuing = { key, body: { expires_in: 36_000, scope: 'all', access: 'read' } };
    await shop.ask('POST', `/users/${bob}/access_tokens`, issuing);
    const { id: bobsToken } = (await shop.look(`/users/${bob}/access_tokens`, key)).body.access_tokens[0];
    const { id: tokenId } = await shop.operate('POST', '/tokens', { name: 'ann', role: 'auditor' });
    const saving = { deal_id: 'moved', user_id: ann };
    const { id: saved } = (await shop.ask('POST', '/saved_deals', { key, body: saving })).body.saved_deal;
    const place = { name: 'Boston', time_zone: 'America/New_York', latitude: 42.36, longitude: -71.06, radius: 20 };
    await shop.operate('PUT', '/regions/boston', place);
    const subscribing = `/users/${bob}/subscriptions`;
    const subscription = await shop.ask('POST', subscribing, { key, body: { zip: 2114 } });
    const { id: subscribed } = subscription.body.subscription;
    const cat = await shop.newUser(key, 'cat@example.org');
    const again = await shop.ask('POST', `/users/${cat}/subscriptions`, { key, body: { zip: 2114 } });
    const { id: unconfirmed } = again.body.subscription;
    const forgotten = await reserve();
    const declining = signedPart(await keyringOf(shop), { kind: 'end-of-batch-mails', id: bob, address: null });
    for (const slug of ['coffee', 'cake', 'tea']) await shop.newDeal(slug, { type: 'card-linked' });
    const linkOf = async (deal_id: string): Promise<string> =>
      (await shop.ask('POST', '/card_links', { key, body: { deal_id, user_id: bob } })).body.card_link.id;
    const [linked, unlinked, spent] = [await linkOf('coffee'), await linkOf('cake'), await linkOf('tea')];
    await shop.ask('PUT', `/card_links/${unlinked}/unlink`, { key });
    const midnight = (Math.floor((await timeOf(shop)) / DAY) + 1) * DAY;
    const batchOf = (user: string): Json => ({
      deal_id: 'spa',
      user_ids: [user],
      mode: 'suppress',
      send_at: utcTime(midnight + DAY / 2),
    });
    const { id: scheduled } = (await shop.ask('POST', '/targeted_email/batches', { key, body: batchOf(bob) })).body
      .batch;
    const { id: resellerId } = await shop.newPartner('reseller');
    const basic = `reseller:${(await shop.operate('POST', `/partners/${resellerId}/password`)).password}`;
    const resale = (transaction_reference: string): Ask => ({
      method: 'POST',
      url: '/api/v3/resellers/purchases',
      basic,
      body: {
        deal_id: 'spa',
        quantity: 1,
        transaction_reference,
        transaction_date: '2027-01-31T12:00:00Z',
        transaction_amount: 900,
        first_name: 'Eve',
        last_name: 'Lee',
      },
    });
    const resold = await shop.ask('POST', '/api/v3/resellers/purchases', { basic, body: resale('first').body });
    const givenBack = resold.body.coupons[0].id;
    const dan = await shop.newUser(key, 'dan@example.org');
    const ofBuyer = (await shop.ask('POST', '/api/v3/resellers/purchases', { basic, body: resale('third').body })).body
      .id;
    await shop.stop();

    const operators = (method: Ask['method'], path: string, body?: Json): Ask => ({
      method,
      url: `/operators${path}`,
      body,
    });
    const partners = (method: Ask['method'], url: string, body?: Json): Ask => ({ method, url, body });
    const reserving = (deal_id: string): Ask => partners('POST', '/purchases/reserve', { deal_id, num_bought: 1 });
    lines = [
      {
        command: 'CreatePartner',
        title: 'create a partner',
        secrets: 'refused',
        call: operators('POST', '/partners', { name: 'New', slug: 'new' }),
      },
      {
        command: 'EnrolPartner',
        title: 'import a partner',
        counts: true,
        call: {
          ...operators('POST', '/import', '{"kind":"partner","slug":"imported","name":"Imported"}'),
          contentType: 'application/x-ndjson',
        },
      },
      {
        command: 'IssueKey',
        title: 'issue a key',
        secrets: 'refused',
        call: operators('POST', `/partners/${acme.id}/keys`),
      },
      { command: 'RevokeKey', title: 'revoke a key', call: operators('DELETE', `/partners/${acme.id}/keys/${keyId}`) },
      {
        command: 'ReplacePassword',
        title: 'replace a password',
        secrets: 'refused',
        call: operators('POST', `/partners/${acme.id}/password`),
      },
      {
        command: 'ChangePartner',
        title: 'set a storefront and suspend the partner',
        call: operators('PUT', `/partners/${suspendedId}`, {
          storefront_url: 'https://acme.example/{deal_id}',
          suspended: true,
        }),
      },
      {
        command: 'IssueToken',
        title: 'issue a token',
        secrets: 'refused',
        call: operators('POST', '/tokens', { name: 'eve', role: 'auditor' }),
      },
      {
        command: 'RotateKey',
        title: 'rotate the key of data',
        call: operators('POST', '/keys/data/rotate', { reason: 'yearly' }),
      },
      {
        command: 'RetryWork',
        title: 'try open work again',
        call: operators('POST', `/work/subscription-mails/${unconfirmed}-confirmation/retry`),
      },
      {
        command: 'AbandonWork',
        title: 'abandon open work',
        call: operators('POST', `/work/hold-expiry/${forgotten}/abandon`, { reason: 'it is over' }),
      },
      {
        command: 'OrderProjection',
        title: 'build a view again',
        call: operators('POST', '/projections/regions/rebuild'),
      },
      { command: 'RevokeToken', title: 'revoke a token', call: operators('DELETE', `/tokens/${tokenId}`) },
      {
        command: 'SaveDeal',
        title: 'save a deal',
        call: partners('POST', '/saved_deals', { deal_id: 'spa', user_id: ann }),
      },
      { command: 'RemoveSavedDeal', title: 'remove a saved deal', call: partners('DELETE', `/saved_deals/${saved}`) },
      {
        command: 'Subscribe',
        title: 'subscribe a user',
        call: partners('POST', `/users/${ann}/subscriptions`, { zip: 2114 }),
      },
      {
        command: 'Subscribe',
        title: 'ask again for the confirmation of a subscription',
        call: partners('POST', `/users/${cat}/subscriptions`, { zip: 2114 }),
      },
      {
        command: 'SetSubscriptionStatus',
        title: 'set the status of a subscription',
        call: partners('PUT', `/subscriptions/${subscribed}`, { status: 'inactive' }),
      },
      {
        command: 'FollowMailLink',
        title: 'follow a link in a mail',
        call: partners('POST', `/m/unsubscribe/${declining}`),
      },
      {
        command: 'LinkUser',
        title: 'link a user to a deal',
        call: partners('POST', '/card_links', { deal_id: 'coffee', user_id: ann }),
      },
      {
        command: 'LinkUser',
        title: 'link a user to several deals',
        call: partners('POST', '/card_links', { deal_ids: 'cake,tea', user_id: ann }),
      },
      { command: 'Unlink', title: 'unlink a user', call: partners('PUT', `/card_links/${linked}/unlink`) },
      { command: 'Relink', title: 'link a user again', call: partners('PUT', `/card_links/${unlinked}/link`) },
      {
        command: 'RedeemLink',
        title: 'redeem a card link',
        call: partners('PUT', `/card_links/${spent}/redeem`, {
          transaction_amount: 2500,
          transaction_date: '2026-01-31T12:00:00',
          transaction_reference: 'till-7-4711',
          max_redemption: true,
        }),
      },
      {
        command: 'CreateBatch',
        title: 'schedule a batch',
        status: 201,
        call: partners('POST', '/targeted_email/batches', batchOf(ann)),
        close: ({ batch }) => [partners('DELETE', `/targeted_email/batches/${batch.id}?deal_id=spa`)],
      },
      {
        command: 'CancelBatch',
        title: 'cancel a batch',
        call: partners('DELETE', `/targeted_email/batches/${scheduled}?deal_id=spa`),
      },
      {
        command: 'SetRegion',
        title: 'set a region',
        call: operators('PUT', '/regions/newland', { name: 'Newland', time_zone: 'America/New_York' }),
      },
      {
        command: 'PutDeal',
        title: 'put a deal',
        call: operators('PUT', '/deals/spa', { title: 'Another', stock: 60 }),
      },
      {
        command: 'MoveDeal',
        title: 'move a deal',
        call: operators('POST', '/deals/moved/transitions', { to: 'paused', reason: 'rain' }),
      },
      { command: 'SetStock', title: 'set the stock', call: operators('PUT', '/deals/stocked/stock', { units: 7 }) },
      { command: 'CreateUser', title: 'create a user', call: partners('POST', '/users', { email: 'new@example.org' }) },
      { command: 'ChangeUser', title: 'change a user', call: partners('PUT', `/users/${bob}`, { first_name: 'Bob' }) },
      {
        command: 'UpdateByEmail',
        title: 'change a user by e-mail',
        call: partners('PUT', '/users/ann@example.org/update_by_email', { last_name: 'Lee' }),
      },
      {
        command: 'IssueAccessToken',
        title: 'issue an access token',
        secrets: 'refused',
        call: partners('POST', `/users/${bob}/access_tokens`, { expires_in: 600, scope: 'all', access: 'read' }),
      },
      {
        command: 'EndAccessToken',
        title: 'end an access token',
        call: partners('DELETE', `/users/${bob}/access_tokens/${bobsToken}`),
      },
      {
        command: 'StoreCard',
        title: 'store a card',
        call: partners('POST', '/credit_cards', { user_id: bob, ...cardOf(GOOD_CARD) }),
      },
      {
        command: 'SetDefaultCard',
        title: 'set the default card',
        call: partners('PUT', `/credit_cards/${other}/default`),
      },
      {
        command: 'StoreAddress',
        title: 'store an address',
        call: partners('POST', '/shipping_addresses', { user_id: ann, ...ADDRESS }),
      },
      { command: 'DeleteCard', title: 'delete a card', call: partners('DELETE', `/credit_cards/${thrownAway}`) },
      { command: 'RemoveAddress', title: 'remove an address', call: partners('DELETE', `/shipping_addresses/${left}`) },
      {
        command: 'Reserve',
        title: 'reserve',
        call: reserving('spa'),
        close: ({ purchase }) => [partners('PUT', `/purchases/${purchase.id}/release`)],
      },
      {
        command: 'Reserve',
        title: 'reserve what is sold then',
        call: reserving('lent'),
        close: ({ purchase }) => [partners('PUT', `/purchases/${purchase.id}/claim`, { user_id: ann })],
      },
      { command: 'Claim', title: 'claim', call: partners('PUT', `/purchases/${claimed}/claim`, { user_id: ann }) },
      { command: 'Release', title: 'release', call: partners('PUT', `/purchases/${released}/release`) },
      {
        command: 'Buy',
        title: 'buy with a stored card',
        call: partners('POST', '/purchases', {
          deal_id: 'spa',
          quantity: 1,
          user_id: ann,
          credit_card_id: card,
          expected_price_per_unit: 1000,
        }),
      },
      {
        command: 'Buy',
        title: 'buy in one call',
        call: partners('POST', '/purchases/full', {
          deal_id: 'spa',
          quantity: 1,
          user: personOf('full@example.org'),
          credit_card: cardOf(GOOD_CARD),
        }),
      },
      // The refusal itself undoes its checkout.
      {
        command: 'Buy',
        title: 'buy with a card that is declined',
        status: 422,
        call: partners('POST', '/purchases/full', {
          deal_id: 'declined',
          quantity: 1,
          user_id: ann,
          credit_card: cardOf(DECLINED_CARD),
        }),
      },
      { command: 'Redeem', title: 'redeem', call: partners('PUT', `/coupons/${redeemed}/redeem`) },
      { command: 'Resell', title: 'resell', call: resale('second') },
      {
        command: 'GiveBackCoupon',
        title: 'cancel a resold coupon',
        call: { method: 'DELETE', url: `/api/v3/coupons/${givenBack}/cancel`, basic },
      },
      {
        command: 'CancelCoupon',
        title: 'cancel a coupon',
        call: operators('POST', `/coupons/${cancelled}/cancel`, { reason: 'ill' }),
      },
      {
        command: 'ReissueCoupon',
        title: 'reissue a coupon',
        call: operators('POST', `/coupons/${reissued}/reissue`, { reason: 'lost' }),
      },
      {
        command: 'RefundPurchase',
        title: 'refund a purchase',
        call: operators('POST', `/purchases/${refunded}/refund`, { reason: 'ill' }),
      },
      {
        command: 'EraseUser',
        title: 'erase a user',
        call: operators('POST', `/users/${dan}/erase`, { reason: 'they asked for it' }),
      },
      {
        command: 'EraseBuyer',
        title: 'erase a buyer',
        call: operators('POST', `/purchases/${ofBuyer}/erase`, { reason: 'they asked for it' }),
      },
      {
        command: 'VoidPurchase',
        title: 'void a purchase',
        call: operators('POST', `/purchases/${voided}/void`, { reason: 'late' }),
      },
      // It expires, and somebody else takes its unit.
      {
        command: 'Reserve',
        title: 'reserve the last unit',
        ranOut: true,
        call: reserving('last'),
        close: () => [
          operators('PUT', '/clock', { now: new Date(service.engine.clock.now() + 301_000).toISOString() }),
          reserving('last'),
        ],
      },
    ];
    await open();
  });
  afterAll(async () => {
    await close();
    remove(dataDir);
  });

  it('A11: every command has a line, whose call sends it', async () => {
    const registered = [...app.get(ModulesContainer).values()]
      .flatMap(({ providers }) => [...providers.values()])
      .flatMap(({ metatype }) =>
        typeof metatype === 'function'
          ? [Reflect.getMetadata(COMMAND_HANDLER_METADATA, metatype) as { name: string } | undefined]
          : [],
      )
      .flatMap((command) => command?.name ?? []);
    expect([...new Set(lines.map(({ command }) => command))].sort()).toEqual(registered.sort());
    for (const line of lines) {
      const answer = await ask(line.call, line.title);
      firsts.set(line, answer);
      const status = line.status ?? 200;
      expect([line.title, answer.status, sent[0], answer.body]).toEqual([
        line.title,
        status,
        line.command,
        expect.anything(),
      ]);
    }
    while ((await service.keys.status()).some(({ rotation }) => rotation !== undefined)) await pause(20);
  });

  it('A11: writes nothing and answers the same, in a process without memory', async () => {
    await close();
    await open();
    for (const line of lines) await expectRepeat(line);
  });

  it('A11: does so even after the hold or the checkout that it created was closed', async () => {
    for (const line of lines) {
      const calls = line.close?.(firsts.get(line)?.body) ?? [];
      if (calls.length === 0) continue;
      for (const [step, call] of calls.entries()) {
        expect([line.title, step, (await ask(call, `${line.title} ${step}`)).status]).toEqual([line.title, step, 200]);
      }
      await close();
      await open();
      await expectRepeat(line, true);
    }
  });
});
