import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, claim, reserve } from '../support/buying.js';
import { storeCard } from '../support/cards.js';
import { generationsOf, rebuild, untilState } from '../support/rebuilding.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const placeIn = (street: string): Json => ({
  address: { street, locality: 'Boston', region: 'MA', country: 'US', latitude: 42.3, longitude: -71.1 },
  hours: '',
  phone: '',
});
/** What operators set, and how a page shows it. */
const OLD = {
  title: 'Six oysters',
  merchant_name: 'Old Harbour',
  current_price: 1900,
  value: 2900,
  fine_print: 'Not on Sundays.',
  fine_print_legalese: 'Sold by Old Harbour Inc.',
  fulfillment_method: 'printed',
  highlights: 'A view of the bay',
  instructions: 'Ring the bell.',
  description1: 'Fresh from the boat.',
  locations: [placeIn('1 Quay')],
  image: '/images/oysters.jpg',
};
const NEW = {
  title: 'One oyster',
  merchant_name: 'New Harbour',
  current_price: 2100,
  value: 2200,
  fine_print: 'Never on any day.',
  fine_print_legalese: 'Sold by nobody.',
  highlights: 'A view of the wall',
  instructions: 'Knock.',
  description1: 'From a tin.',
  locations: [placeIn('2 Dump')],
  image: '/images/tin.jpg',
};
const OLD_WORDS = [
  'Six oysters',
  'Old Harbour',
  '$19.00',
  '$29.00',
  'Not on Sundays.',
  'Sold by Old Harbour Inc.',
  'A view of the bay',
  'Ring the bell.',
  'Fresh from the boat.',
  '1 Quay',
  '/images/oysters.jpg?',
];
const NEW_WORDS = [
  'One oyster',
  'New Harbour',
  '$21.00',
  '$22.00',
  'Never on any day.',
  'Sold by nobody.',
  'A view of the wall',
  'Knock.',
  'From a tin.',
  '2 Dump',
  '/images/tin.jpg?',
];

describe('a deal that is edited after the sale', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;
  let card: string;
  let basic: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.com');
    card = await storeCard(service, acme.key, ann);
    basic = `acme:${(await service.operate('POST', `/partners/${acme.id}/password`)).password}`;
  });
  afterAll(() => service.discard());

  /** Its page, whose address only its partner gets. */
  const print = async ({ id, print_url }: Json): Promise<Answer> => {
    const address = print_url ?? (await service.look(`/coupons/${id}`, acme.key)).body.coupon.print_url;
    return service.ask('GET', new URL(address).pathname);
  };
  const scan = ({ id }: Json): Promise<Answer> => service.ask('GET', `/C/${id}`);
  const find = async (id: string): Promise<Json> => (await service.look(`/purchases/${id}`, acme.key)).body.purchase;
  const history = async (id: string): Promise<Json> =>
    (await service.ask('GET', `/auditors/purchases/${id}/history`, { token: service.auditorToken })).body;
  const edit = (slug: string, changes: object = NEW): Promise<Json> =>
    service.operate('PUT', `/deals/${slug}`, changes);
  let references = 0;
  const resaleOf = (deal_id: string, more: object = {}): Json => ({
    deal_id,
    quantity: 1,
    transaction_reference: `order-${(references += 1)}`,
    transaction_date: '2027-01-31T12:00:00Z',
    transaction_amount: 1700,
    first_name: 'Grace',
    last_name: 'Hopper',
    ...more,
  });
  const resell = async (body: Json): Promise<Json> => {
    const answer = await service.ask('POST', '/api/v3/resellers/purchases', { basic, body });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body;
  };
  const charge = async (deal_id: string): Promise<Json> => {
    const body = { deal_id, quantity: 1, user_id: ann, credit_card_id: card, expected_price_per_unit: 1900 };
    return find((await service.ask('POST', '/purchases', { key: acme.key, body })).body.purchase.id);
  };

  /** The coupon's print, QR page and what a till sees have the first words and none of the others. */
  async function expectWords(coupon: Json, words: readonly string[], others: readonly string[]): Promise<void> {
    const [{ text: page }, { text: scanned }] = [await print(coupon), await scan(coupon)];
    expect(words.filter((word) => !page.includes(word))).toEqual([]);
    expect(words.slice(0, 2).filter((word) => !scanned.includes(word))).toEqual([]);
    const till = (await service.ask('GET', `/coupons/${coupon.id}`, { key: acme.key })).body.deal;
    expect([till.title, till.merchant_name]).toEqual(words.slice(0, 2));
    expect(words).toEqual(expect.arrayContaining([till.fine_print, till.instructions]));
    expect(others.filter((word) => page.includes(word) || scanned.includes(word))).toEqual([]);
  }
  const sold = (coupon: Json): Promise<void> => expectWords(coupon, OLD_WORDS, NEW_WORDS);

  it('I2, B6: a coupon, its page, its print, its QR page and its purchase show the deal as sold; after a restart and a rebuild too', async () => {
    await service.newDeal('oysters', OLD);
    const claimed = await buy(service, acme.key, 'oysters', ann);
    const held = await reserve(service, acme.key, 'oysters');
    const expiring = await reserve(service, acme.key, 'oysters');
    const charged = await charge('oysters');
    const sent = resaleOf('oysters');
    const resold = await resell(sent);
    await edit('oysters');
    await service.operate('POST', '/deals/oysters/transitions', { to: 'paused' });
    await service.operate('POST', '/deals/oysters/transitions', { to: 'in-flight' });
    const late = await claim(service, acme.key, held.id, ann);
    await service.forward(301);
    // The hold is over: this takes fresh units, at the price and with the texts of the reservation.
    const fresh = await claim(service, acme.key, expiring.id, ann);

    const check = async (): Promise<void> => {
      for (const { id } of [claimed, charged, late, fresh]) {
        const { price, deal, coupons } = await find(id);
        const { title, image_url } = deal;
        expect([price, title, image_url]).toEqual([1900, 'Six oysters', '/images/oysters.jpg?size=medium']);
        await sold(coupons[0]);
      }
      const again = await resell(sent);
      expect([again.deal.title, again.deal.image_url_abs]).toEqual([
        'Six oysters',
        `${service.url}/images/oysters.jpg?size=medium`,
      ]);
      const { text } = await scan(again.coupons[0]);
      expect([text.includes('Six oysters'), text.includes('One oyster')]).toEqual([true, false]);
    };
    expect([late.deal.title, fresh.deal.title, resold.deal.title]).toEqual(Array<string>(3).fill('Six oysters'));
    await check();
    // A new sale shows the deal as it is now.
    await expectWords((await buy(service, acme.key, 'oysters', ann)).coupons[0], NEW_WORDS, OLD_WORDS);

    for (const view of ['coupons', 'purchases']) {
      const number = await rebuild(service, view);
      await untilState(service, view, number, 'ready');
      await service.operate('POST', `/projections/${view}/generations/${number}/promote`);
      await untilState(service, view, number, 'live');
      expect((await generationsOf(service, view)).filter(({ state }) => state === 'live')).toMatchObject([{ number }]);
    }
    await check();
    await service.stop();
    service = await RunningService.start({ dataDir: service.dataDir });
    await check();
  });

  it('I2: a card-linked sale shows the deal as sold', async () => {
    const linked = { ...OLD, type: 'card-linked', current_price: null, value: null, stock: null };
    await service.newDeal('loyal-oysters', linked);
    const { coupons } = await resell(resaleOf('loyal-oysters'));
    await edit('loyal-oysters', { title: 'One oyster', merchant_name: 'New Harbour' });
    const { text } = await scan(coupons[0]);
    for (const word of OLD_WORDS.slice(0, 2)) expect(text).toContain(word);
    for (const word of NEW_WORDS.slice(0, 2)) expect(text).not.toContain(word);
  });

  it('I2, G7: the history shows the deal as sold once, with its revision, and once more for other terms of a new coupon', async () => {
    await service.newDeal('oysters-told', OLD);
    const { id, coupons } = await buy(service, acme.key, 'oysters-told', ann, 2);
    await edit('oysters-told');
    const { deals, events } = await history(id);
    const { title, merchant_name, value, fine_print, fine_print_legalese, highlights, instructions, description1 } =
      OLD;
    const texts = {
      title,
      merchant_name,
      value,
      fine_print,
      fine_print_legalese,
      highlights,
      instructions,
      description1,
    };
    const revision: number = events[0].data.deal.revision;
    expect(deals).toEqual([
      {
        id: 'oysters-told',
        revision,
        ...texts,
        price: 1900,
        locations: [{ address: ['1 Quay', 'Boston, MA', 'United States'], phone: '', hours: '' }],
        image: '/images/oysters.jpg',
        time_zone: 'America/New_York',
      },
    ]);
    const body = { reason: 'lost', terms: 'current' };
    await service.operate('POST', `/coupons/${coupons[0].id}/reissue`, body);
    expect((await history(id)).deals.map(({ revision: of, title: shown }: Json) => [of, shown])).toEqual([
      [revision, 'Six oysters'],
      [revision + 1, 'One oyster'],
    ]);
  });

  it('I2, D14: a new coupon shows the deal as sold, or with `terms` `current` as it is now, and then expires as that says', async () => {
    const { now } = await service.operate('GET', '/clock');
    const at = (days: number): string => new Date(Date.parse(now) + days * 86_400_000).toISOString();
    await service.newDeal('oysters-again', { ...OLD, expires_at: at(20) });
    const { coupons } = await buy(service, acme.key, 'oysters-again', ann, 3);
    await edit('oysters-again', { ...NEW, expires_at: at(30) });
    const reissue = async (coupon: Json, more: object = {}): Promise<Json> =>
      (await service.operate('POST', `/coupons/${coupon.id}/reissue`, { reason: 'lost', ...more })).coupon;
    const same = await reissue(coupons[0]);
    const asSold = await reissue(coupons[1], { terms: 'as_sold' });
    const current = await reissue(coupons[2], { terms: 'current' });
    const dayOf = ({ expires_at }: Json): string => new Date(expires_at).toISOString().slice(0, 10);
    expect([same, asSold, current].map(dayOf)).toEqual([at(20), at(20), at(30)].map((each) => each.slice(0, 10)));
    await sold(same);
    await sold(asSold);
    await expectWords(current, NEW_WORDS, OLD_WORDS);
    // The page of the old one still shows what was sold.
    expect((await print(coupons[2])).text).toContain('Six oysters');
    expect((await print(coupons[2])).text).toContain('Replaced');
    const wrong = await service.ask('POST', `/operators/coupons/${same.id}/reissue`, {
      token: service.operatorToken,
      body: { reason: 'lost', terms: 'as they are' },
    });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [{ type: 'invalid', message: 'must be one of as_sold, current', field: 'terms', resource: 'coupon' }],
    ]);
  });
});
