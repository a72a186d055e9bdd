import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MOST_COUPONS_OF_PAGE, UNITS } from '#kernel/bounds';
import { buy } from '../support/buying.js';
import { RunningService, type Json, type TestPartner } from '../support/running-service.js';

const [, MOST_UNITS] = UNITS;
/** So many of the largest purchases have as many coupons as a page may have. */
const FULL = MOST_COUPONS_OF_PAGE / MOST_UNITS;

// A page of 40 such purchases once had 36 MB. The service drew its QR codes in one go, and answered nobody for 6 s.
describe('a page of purchases with very many coupons', () => {
  let service: RunningService;
  let acme: TestPartner;
  let purchases: string;
  let coupons: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    await service.newDeal('concert', { stock: null, max_per_user: null });
    const ann = await service.newUser(acme.key, 'ann@example.org');
    for (let n = 0; n <= FULL; n += 1) await buy(service, acme.key, 'concert', ann, MOST_UNITS);
    purchases = `/users/${ann}/purchases`;
    coupons = `/users/${ann}/coupons`;
    await service.look(`${purchases}?count=true`, acme.key);
  });
  afterAll(() => service.discard());

  /** Asks for the service's health until this answer is there: the answer, and how often health was answered before it. */
  async function beside<Answered>(asked: Promise<Answered>): Promise<readonly [Answered, number]> {
    const waiting = new Set([asked]);
    const answer = asked.finally(() => waiting.clear());
    let healthy = 0;
    while (waiting.size > 0) {
      const { status } = await service.ask('GET', '/health/live');
      if (status === 200 && waiting.size > 0) healthy += 1;
    }
    return [await answer, healthy];
  }

  /** How many events a history has, and its last characters. Its text is too long to keep. */
  async function lookThrough(id: string): Promise<{ status: number; events: number; last: string }> {
    const headers = { authorization: `Bearer ${service.auditorToken}` };
    const response = await fetch(`${service.url}/auditors/purchases/${id}/history`, { headers });
    const [BEGINS, decoder] = ['{"position":"', new TextDecoder()];
    let [events, rest] = [0, ''];
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      const parts = (rest + decoder.decode(piece, { stream: true })).split(BEGINS);
      events += parts.length - 1;
      rest = (parts.at(-1) ?? '').slice(1 - BEGINS.length);
    }
    return { status: response.status, events, last: rest.slice(-2) };
  }

  it('is refused with more coupons than a page may have, and says to ask for fewer rows', async () => {
    for (const perPage of [FULL + 1, 1_000]) {
      const { status, body } = await service.look(`${purchases}?per_page=${perPage}`, acme.key);
      expect([status, body]).toEqual([
        422,
        {
          status: 'error',
          error_type: 'validation_failed',
          error_msg: `the page holds more than ${MOST_COUPONS_OF_PAGE} coupons: ask for fewer rows with per_page`,
        },
      ]);
    }
    expect((await service.look(`${purchases}?count=true`, acme.key)).body.count).toBe(FULL + 1);
  });

  it('lets others through while it is answered', async () => {
    // A new process remembers no picture of a coupon, so it draws all of them.
    await service.stop();
    service = await RunningService.start({ dataDir: service.dataDir, ownProcess: true });
    const [{ body }, healthy] = await beside(service.look(`${purchases}?per_page=${FULL}`, acme.key));
    const shown: Json[] = body.purchases.flatMap((purchase: Json) => purchase.coupons);
    expect(shown).toHaveLength(MOST_COUPONS_OF_PAGE);
    expect(new Set(shown.map(({ qr_code }) => qr_code as string)).size).toBe(MOST_COUPONS_OF_PAGE);
    expect(healthy).toBeGreaterThan(20);
  });

  it('shows each purchase, and pages of coupons, as ever', async () => {
    const one = await service.look(`${purchases}?per_page=1`, acme.key);
    expect(one.body.purchases[0].coupons).toHaveLength(MOST_UNITS);
    const { body } = await service.look(`/purchases/${one.body.purchases[0].id}`, acme.key);
    expect(body.purchase).toEqual(one.body.purchases[0]);
    expect((await service.look(`${coupons}?per_page=1000`, acme.key)).body.coupons).toHaveLength(1_000);
  });

  // Each event shows the states of all coupons: with 1000 coupons the text was once too long for any answer.
  it('G7: leads to a history that lets others through while it is answered', async () => {
    const { purchases: some } = (await service.look(`${purchases}?per_page=1`, acme.key)).body;
    const { id } = some[0];
    await service.operate('POST', `/purchases/${id}/refund`, { reason: 'rain' });
    const [{ status, events, last }, healthy] = await beside(lookThrough(id));
    // Of each unit: its coupon issued and cancelled, by a decision of the purchase, and back in stock.
    expect([status, last]).toEqual([200, ']}']);
    expect(events).toBeGreaterThan(4 * MOST_UNITS);
    expect(healthy).toBeGreaterThan(20);
  });
});
