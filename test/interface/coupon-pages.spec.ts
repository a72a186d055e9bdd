import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { at, buy, moveTo } from '../support/buying.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const NOT_FOUND = JSON.stringify({
  status: 'error',
  error_type: 'find_failed',
  error_msg: 'Failed. not found.',
  detail: 'no coupon has this address: copy the address from the coupon unchanged',
});
/** The only script of a page. */
const PRINT = "document.getElementById('print').addEventListener('click', function () { window.print(); });";
const PRINTS = createHash('sha256').update(PRINT).digest('base64');
/** A winter day in New York, where the test region is. */
const NOON = Date.parse('2031-01-10T17:00:00Z');
const HTML = { accept: 'text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8' };
const JSON_ALONE = { accept: 'application/json' };
const HARM = `<script>alert("1")</script> & 'co'`;
const HARMLESS = '&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;co&#39;';

describe('pages of coupons', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start();
    await moveTo(service, NOON);
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.com', { first_name: 'Annabel', last_name: 'Lee' });
  });
  afterAll(() => service.discard());

  const bought = async (slug: string, deal: Readonly<Record<string, unknown>> = {}): Promise<Json> => {
    await service.newDeal(slug, deal);
    return (await buy(service, acme.key, slug, ann)).coupons[0];
  };
  const print = (coupon: Json): Promise<Answer> => service.ask('GET', new URL(coupon.print_url).pathname);
  const show = (id: string, headers = {}): Promise<Answer> => service.ask('GET', `/C/${id}`, { headers });
  const redeem = (coupon: Json): Promise<Answer> =>
    service.ask('PUT', `/coupons/${coupon.id}/redeem`, { key: acme.key });

  it("2.6.6, B7, 2.6: the page to print shows the deal, the codes, and the expiry in the region's time zone", async () => {
    const coupon = await bought('spa', {
      stock: null,
      redemption_code_pool: ['RELAX-7'],
      title: 'A day at the spa',
      merchant_name: 'Still Waters',
      instructions: 'Call before you come.',
      fine_print: 'Towels are extra.',
      end_at: '2031-01-14T04:59:59Z',
      expires_at: '2031-01-14T04:59:59Z',
      locations: [
        {
          address: { street: '1 Pond Lane', locality: 'Newtown', latitude: 1, longitude: 2 },
          hours: '9 to 5',
          phone: '555 0100',
        },
      ],
    });
    const { status, text } = await print(coupon);
    expect(status).toBe(200);
    const heading = /<h1><bdi>(.*)<\/bdi><\/h1>/.exec(text)?.[1];
    expect([heading, text.includes('<html lang="en">')]).toEqual(['A day at the spa', true]);
    for (const shown of [
      'Still Waters',
      '<dd><bdi>Annabel Lee</bdi></dd>',
      '<dd><bdi>$20.00</bdi></dd>',
      'RELAX-7',
      'Until 13 January 2031, 23:59 EST',
      'Call before you come.',
      'Towels are extra.',
      '1 Pond Lane',
      'Newtown',
      '9 to 5',
      '555 0100',
      coupon.barcode.replace(/(...)(...)(...)(...)/, '$1 $2 $3 $4'),
      'aria-label="QR code of this coupon"',
      'aria-label="Barcode of this coupon"',
      'name="viewport" content="width=device-width, initial-scale=1"',
    ]) {
      expect(text).toContain(shown);
    }
  });

  it('I2, B7: the page to print may load the picture of the deal, and nothing else', async () => {
    const coupon = await bought('pictured', { image: '/images/spa.jpg' });
    const { headers, text } = await print(coupon);
    expect(text.match(/<img[^>]*>/g)).toEqual([
      `<img class="picture" src="${service.url}/images/spa.jpg?size=medium" alt="" />`,
    ]);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none';.* img-src 'self' data: https:; base-uri 'none'/,
    );
    expect((await show(coupon.id)).text).not.toContain('<img');
  });

  it('B7: a page runs nothing but its print button, loads nothing, is not cached and sends its address to nobody', async () => {
    const coupon = await bought('safe', { image: null });
    for (const { headers, text } of [await print(coupon), await show(coupon.id), await show('nothing')]) {
      const style = /<style>(.*)<\/style>/s.exec(text)?.[1] ?? '';
      const hash = createHash('sha256').update(style).digest('base64');
      for (const [, script] of text.matchAll(/<script>(.*)<\/script>/gs)) expect(script).toBe(PRINT);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; script-src 'sha256-${PRINTS}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
        'request-id': expect.stringMatching(/./),
      });
      expect(text).not.toMatch(/<link|<img|\ssrc=|\shref=|url\(|@import|\son\w+=|\sstyle=/);
    }
  });

  it('B7: a page shows markup in deals and codes as text', async () => {
    const coupon = await bought('harm', {
      stock: null,
      redemption_code_pool: ['<b>"7"</b>'],
      title: HARM,
      merchant_name: HARM,
      description1: HARM,
      instructions: HARM,
      fine_print: HARM,
      fine_print_legalese: HARM,
      fulfillment_method: 'printed',
      locations: [
        {
          address: { street: HARM, locality: HARM, country: HARM, latitude: 1, longitude: 2 },
          hours: HARM,
          phone: HARM,
        },
      ],
    });
    const { text } = await print(coupon);
    // The title appears twice.
    expect(text.split(HARMLESS)).toHaveLength(1 + 12);
    expect(text).toContain('&#60;b&#62;&#34;7&#34;&#60;/b&#62;');
    expect(text).not.toMatch(/<script>alert|<b>/);
    expect((await show(coupon.id)).text.split(HARMLESS)).toHaveLength(1 + 3);
  });

  it('2.1, B7: legal text is on printed coupons only', async () => {
    const fine_print_legalese = 'The seller answers for it.';
    for (const fulfillment_method of ['printed', 'redemptioncoded', 'shipped']) {
      const coupon = await bought(`by-${fulfillment_method}`, { fine_print_legalese, fulfillment_method });
      expect((await print(coupon)).text.includes(fine_print_legalese)).toBe(fulfillment_method === 'printed');
    }
  });

  it('B7, D10: the page of a redeemed or expired coupon says so at once, with the time, and has no code', async () => {
    const coded = { stock: null, redemption_code_pool: ['ONCE-1'] };
    const redeemed = await bought('once', coded);
    expect((await print(redeemed)).text).toContain('<svg');
    expect((await redeem(redeemed)).status).toBe(200);
    const end = at(NOON + 3_600_000);
    const expired = await bought('short', { ...coded, end_at: end, expires_at: end });
    const expectState = async (coupon: Json, ...shown: readonly string[]): Promise<void> => {
      const page = (await print(coupon)).text;
      for (const { text } of [{ text: page }, await show(coupon.id)])
        for (const each of shown) expect(text).toContain(each);
      expect(page).not.toMatch(/<svg|ONCE-1|\d{3} \d{3} \d{3} \d{3}/);
    };
    await expectState(redeemed, '<p class="word">Redeemed</p>', '10 January 2031, 12:00 EST');
    await moveTo(service, NOON + 3_600_000);
    await expectState(expired, '<p class="word">Expired</p>', '10 January 2031, 13:00 EST');
  });

  it('B7, A4: the address is signed: with another coupon’s signature, or an invalid one, it opens nothing', async () => {
    const [first, second] = [await bought('one'), await bought('two')];
    const signature = new URL(second.print_url).pathname.split('/').at(-2) ?? '';
    for (const path of [
      `/coupons/${first.id}/${signature}/print`,
      `/coupons/${first.id}/0000000000000000/print`,
      `/coupons/${first.id.toUpperCase()}/${signature}/print`,
      `/coupons/nothing/${signature}/print`,
      `/coupons/%00/x/print`,
    ]) {
      const page = await service.ask('GET', path, { key: acme.key, headers: HTML });
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(page.text).toContain('<h1>No such coupon</h1>');
      const answer = await service.ask('GET', path, { key: acme.key, headers: JSON_ALONE });
      expect([answer.status, answer.text]).toEqual([404, NOT_FOUND]);
    }
    expect((await service.ask('GET', `/v1${new URL(first.print_url).pathname}`)).status).toBe(200);
  });

  it('B7: the redemption page shows deal and state to everybody, in upper or lower case, redeems nothing, and shows no code and no person', async () => {
    const deal = { stock: null, redemption_code_pool: ['SECRET-9'], title: 'Tea for two', merchant_name: 'Tea House' };
    const coupon = await bought('tea', deal);
    const { pathname } = new URL(`${service.url}/C/${coupon.id.toUpperCase()}`);
    for (const path of [pathname, pathname.toLowerCase(), `/C/${coupon.id}`, `${pathname}?x=1`]) {
      const { status, text } = await service.ask('GET', path);
      expect(status).toBe(200);
      for (const shown of ['Tea for two', 'Tea House', '<p class="word">Valid</p>', 'No expiry date']) {
        expect(text).toContain(shown);
      }
      expect(text).not.toMatch(new RegExp(`SECRET-9|${coupon.barcode}|${coupon.barcode.slice(0, 3)} |<svg|Ann|${ann}`));
    }
    expect((await redeem(coupon)).status).toBe(200);
  });

  it('B7, A8: an unknown coupon gives people a page and programs an error', async () => {
    for (const id of ['nothing', '%00', 'constructor', '0'.repeat(32)]) {
      const page = await show(id, HTML);
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(page.text).toContain('<h1>No such coupon</h1>');
      expect((await show(id)).text).toBe(page.text);
      const error = await show(id, JSON_ALONE);
      expect([error.status, error.text]).toEqual([404, NOT_FOUND]);
    }
  });

  it('I2, B7: a change of the deal does not show on the pages: they show what was sold', async () => {
    const coupon = await bought('changing', { title: 'Before' });
    await service.operate('PUT', '/deals/changing', { title: 'After' });
    for (const { text } of [await print(coupon), await show(coupon.id)])
      expect(text).toContain('<h1><bdi>Before</bdi></h1>');
  });
});
