import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy } from '../support/buying.js';
import { signedLink } from '../support/mail-link.js';
import { mailsOf, untilMails } from '../support/outbox.js';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';
import { turningIn, TURNS } from '../support/turned.js';

const BROWSER = { accept: 'text/html' };
const turns = (name: string): string => `${TURNS}${name}`;

/** Every text of a deal that a page shows. */
const TEXTS = Object.fromEntries(
  ['title', 'merchant_name', 'description1', 'highlights', 'instructions', 'fine_print', 'fine_print_legalese'].map(
    (name) => [name, turns(name)],
  ),
);
const ADDRESS = {
  street: turns('street'),
  locality: turns('locality'),
  region: turns('area'),
  postal_code: turns('zip'),
};
const PLACE = {
  address: { ...ADDRESS, country: 'US', latitude: 42.36, longitude: -71.06 },
  hours: turns('hours'),
  phone: turns('phone'),
};

describe('texts that turn a line', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.org', { first_name: turns('first'), last_name: turns('last') });
    const boston = {
      name: turns('region'),
      time_zone: 'America/New_York',
      latitude: 42.36,
      longitude: -71.06,
      radius: 20,
    };
    await service.operate('PUT', '/regions/boston', boston);
    await service.newDeal('spa', { ...TEXTS, region_id: 'boston', fulfillment_method: 'printed', locations: [PLACE] });
  });
  afterAll(() => service.discard());

  /** Expects that a page shows these texts, and that none turns what stands around it. */
  function expectApart({ status, text }: Pick<Answer, 'status' | 'text'>, ...names: readonly string[]): void {
    expect([status, names.filter((name) => !text.includes(name))]).toEqual([200, []]);
    expect(turningIn(text)).toEqual([]);
  }

  it('B7: on the pages of a coupon', async () => {
    const [coupon] = (await buy(service, acme.key, 'spa', ann)).coupons;
    const places = [...Object.values(ADDRESS), PLACE.hours, PLACE.phone];
    const printed = await service.ask('GET', new URL(coupon.print_url).pathname, { headers: BROWSER });
    expectApart(printed, ...Object.values(TEXTS), ...places, turns('first'));
    const shown = await service.ask('GET', `/C/${coupon.id.toUpperCase()}`, { headers: BROWSER });
    expectApart(shown, turns('title'), turns('merchant_name'));
  });

  it('H4: on the page of a deal', async () => {
    const { fine_print_legalese: _, ...shown } = TEXTS;
    const page = await service.ask('GET', '/deals/spa', { headers: BROWSER });
    expectApart(page, ...Object.values(shown), ...Object.values(ADDRESS), PLACE.hours, PLACE.phone, turns('region'));
  });

  it('E5, H3: in a mail, and on the pages of its links', async () => {
    const made = await service.ask('POST', `/users/${ann}/subscriptions`, { key: acme.key, body: { zip: '02114' } });
    const { id } = made.body.subscription;
    await untilMails(service, 1);
    const [mail] = mailsOf(service).values();
    const text = mail?.parts.find(({ type }) => type.startsWith('text/html'))?.content ?? '';
    expectApart({ status: 200, text }, turns('first'), turns('region'));
    expect(mail?.headers['subject']?.[0]).toContain(`\u2068${turns('region')}\u2069`);
    for (const [kind, path] of [
      ['confirmation', 'confirm'],
      ['end-of-subscription', 'unsubscribe'],
    ] as const) {
      const link = `/m/${path}/${await signedLink(service, acme, kind, id)}`;
      for (const method of ['GET', 'POST'])
        expectApart(await service.ask(method, link, { headers: BROWSER }), turns('region'));
    }
  });
});
