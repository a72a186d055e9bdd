import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { at, moveTo, reserve, timeOf } from '../support/buying.js';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';

const STATES = `submitted in-review rejected approved in-flight paused cancelled landed deleted`.split(' ');

/** Ruling C1: the states that an operator may move a deal to, by its present state. All other moves are refused. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  submitted: ['in-review', 'cancelled', 'deleted'],
  'in-review': ['approved', 'rejected', 'cancelled', 'deleted'],
  rejected: ['submitted', 'deleted'],
  approved: ['cancelled', 'deleted'],
  'in-flight': ['paused', 'cancelled', 'deleted'],
  paused: ['in-flight', 'cancelled', 'deleted'],
  cancelled: ['deleted'],
  landed: ['deleted'],
  deleted: [],
};

/** How a new deal reaches each state, and its run window, in days from now. */
const WAYS: Readonly<
  Record<string, { readonly moves: readonly string[]; readonly window: readonly [number, number] }>
> = {
  submitted: { moves: [], window: [-1, 9] },
  'in-review': { moves: ['in-review'], window: [1, 9] },
  rejected: { moves: ['in-review', 'rejected'], window: [-1, 9] },
  approved: { moves: ['in-review', 'approved'], window: [1, 9] },
  'in-flight': { moves: ['in-review', 'approved'], window: [-1, 9] },
  paused: { moves: ['in-review', 'approved', 'paused'], window: [-1, 9] },
  cancelled: { moves: ['cancelled'], window: [-1, 9] },
  landed: { moves: ['in-review', 'approved'], window: [-9, -1] },
  deleted: { moves: ['deleted'], window: [-1, 9] },
};

/** Why a deal that is not in flight does not sell. */
const WHY_NOT: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(STATES.map((state) => [state, RegExp(`^the deal does not sell: it is ${state}$`)])),
  approved: /^the deal does not sell yet: it starts at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  landed: /^the deal does not sell: it ended at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
};

const DAY = 86_400_000;

/** The line of the rule book for each state. */
const LINES = STATES.map((state, index) => [`3.1.${index + 1}`, state] as const);

/** What the page of a deal says in the states that people may see. */
const ON_PAGES: Readonly<Record<string, string>> = {
  approved: 'It is not on sale now.',
  'in-flight': 'It is on sale until ',
  paused: 'It is not on sale now.',
  landed: 'It is over.',
};

describe('the workflow of a deal', () => {
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    await service.operate('PUT', '/regions/testland', { name: 'Testland', time_zone: 'UTC' });
  });
  afterAll(() => service.discard());

  const put = (slug: string, body: object): Promise<Answer> =>
    service.ask('PUT', `/operators/deals/${slug}`, { token: service.operatorToken, body });
  const move = (slug: string, to: string): Promise<Answer> =>
    service.ask('POST', `/operators/deals/${slug}/transitions`, { token: service.operatorToken, body: { to } });
  const stateOf = async (slug: string): Promise<string> =>
    (await service.look(`/deals/${slug}`, acme.key)).body.deal.state;
  const tries = (slug: string): Promise<Answer> =>
    service.ask('POST', '/purchases/reserve', { key: acme.key, body: { deal_id: slug, num_bought: 1 } });

  async function dealIn(state: string, slug: string): Promise<void> {
    const { moves, window } = WAYS[state] ?? { moves: [], window: [0, 0] };
    const now = await timeOf(service);
    await service.operate('PUT', `/deals/${slug}`, {
      title: slug,
      region_id: 'testland',
      start_at: at(now + window[0] * DAY),
      end_at: at(now + window[1] * DAY),
      current_price: 1000,
      value: 2000,
      stock: 5,
    });
    for (const to of moves) await service.operate('POST', `/deals/${slug}/transitions`, { to });
  }

  it.each(LINES)(
    '%s, 3.1, C1: from %s, an operator can make the allowed transitions and no others',
    async (_, from) => {
      for (const to of STATES) {
        const slug = `${from}-to-${to}`;
        await dealIn(from, slug);
        expect(await stateOf(slug)).toBe(from);
        const answer = await move(slug, to);
        if (from === to) {
          expect([answer.status, answer.body.deal.state]).toEqual([200, from]);
          expect(answer.headers['holdfast-position']).toBeUndefined();
        } else if (ALLOWED[from]?.includes(to)) {
          expect([slug, answer.status, answer.body.deal?.state]).toEqual([slug, 200, to]);
          expect(answer.headers['holdfast-position']).toMatch(/^\d+$/);
          expect(
            (
              await service.ask('GET', `/deals/${slug}`, {
                key: acme.key,
                headers: { 'holdfast-position': answer.headers['holdfast-position'] ?? '' },
              })
            ).body.deal.state,
          ).toBe(to);
        } else {
          expect([answer.status, answer.text]).toEqual([
            422,
            `{"status":"error","error_type":"update_failed","error_msg":"a deal that is ${from} cannot become ${to}"}`,
          ]);
        }
      }
    },
  );

  it.each(LINES)('%s, 3.1, C1: a deal that is %s sells only if it is in flight', async (_, state) => {
    await dealIn(state, `sells-${state}`);
    const answer = await tries(`sells-${state}`);
    if (state === 'in-flight') expect(answer.status).toBe(200);
    else {
      expect([answer.status, answer.body]).toEqual([
        422,
        { status: 'error', error_type: 'cannot_fufill', error_msg: expect.stringMatching(WHY_NOT[state] ?? /^$/) },
      ]);
    }
  });

  it.each(STATES)(
    'H4, 3.1: a deal that is %s has a page for people, or a 404 page, at both addresses',
    async (state) => {
      const words = ON_PAGES[state];
      const slug = `shown-${state}`;
      await dealIn(state, slug);
      // The page waits for no change; this call does.
      expect(await stateOf(slug)).toBe(state);
      for (const path of [`/deals/${slug}`, `/deals/${slug}/purchase`]) {
        const { status, headers, text } = await service.ask('GET', path, { headers: { accept: 'text/html' } });
        expect([status, headers['content-type']]).toEqual([
          words === undefined ? 404 : 200,
          'text/html; charset=utf-8',
        ]);
        expect(text).toContain(words === undefined ? '<h1>No such deal</h1>' : `<h1><bdi>${slug}</bdi></h1>`);
        expect(text).toContain(words ?? 'Check the address.');
        expect(text).not.toMatch(/<(form|button|input|script)\b/);
      }
    },
  );

  it('3.1, C1, D1: time alone moves an approved deal into flight at its start and lands it at its end', async () => {
    await dealIn('approved', 'clocked');
    await dealIn('approved', 'halted');
    const now = await timeOf(service);
    await service.operate('PUT', '/deals/clocked', { start_at: at(now + DAY), end_at: at(now + 2 * DAY) });
    await service.operate('PUT', '/deals/halted', { start_at: at(now + DAY), end_at: at(now + 2 * DAY) });
    await moveTo(service, now + DAY - 60_000);
    expect([await stateOf('clocked'), (await tries('clocked')).status]).toEqual(['approved', 422]);
    expect((await move('clocked', 'in-flight')).status).toBe(422);
    await moveTo(service, now + DAY);
    expect([await stateOf('clocked'), (await tries('clocked')).status]).toEqual(['in-flight', 200]);
    await service.operate('POST', '/deals/halted/transitions', { to: 'paused' });
    await moveTo(service, now + 2 * DAY);
    expect([await stateOf('clocked'), (await tries('clocked')).status]).toEqual(['landed', 422]);
    expect(await stateOf('halted')).toBe('landed');
    const { deal } = (await service.look('/deals/clocked', acme.key)).body;
    expect(deal.ended).toBe(true);
  });

  it('C1: an unknown state is refused with a list of the states; an unknown deal is 404', async () => {
    for (const to of ['open', 'constructor', '', 'In-Flight']) {
      expect((await move('sells-submitted', to)).status).toBe(422);
    }
    expect((await move('sells-submitted', 'open')).text).toBe(
      '{"status":"error","error_type":"validation_failed","error_msg":"validation failed","errors":[{"type":"invalid","message":"must be one of submitted, in-review, rejected, approved, in-flight, paused, cancelled, landed, deleted","field":"to","resource":"deal"}]}',
    );
    expect((await move('nothing', 'approved')).status).toBe(404);
  });

  it.each([
    [15 * DAY, 'daily-deal', 'on-going'],
    [15 * DAY + 1000, 'on-going', 'daily-deal'],
  ])(
    '8.8, 2.2.1, 2.2.2, 8, 2.2, C2: a prepaid deal on sale for %d ms is %s, and cannot be %s',
    async (length, type, contrary) => {
      const now = Math.floor((await timeOf(service)) / 1000) * 1000;
      const body = {
        title: 'T',
        region_id: 'testland',
        start_at: at(now),
        end_at: at(now + length),
        current_price: 1,
        value: 2,
      };
      expect((await put(`${length}-${type}`, body)).body.deal.type).toBe(type);
      expect((await put(`${length}-${type}`, { ...body, type })).body.deal.type).toBe(type);
      const refused = await put(`${length}-${contrary}`, { ...body, type: contrary });
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [
          {
            type: 'invalid',
            message: `must be ${type}: an on-going deal sells for more than 15 days`,
            field: 'type',
            resource: 'deal',
          },
        ],
      ]);
      expect((await service.look(`/deals/${length}-${contrary}`, acme.key)).status).toBe(404);
      const other = await put(`${length}-${type}`, { end_at: at(now + (type === 'daily-deal' ? 16 : 14) * DAY) });
      expect(other.body.deal.type).toBe(contrary);
    },
  );

  it.each([
    ['2.2.3', 'affiliate'],
    ['2.2.4', 'card-linked'],
  ])('%s, 2.2, C2: a deal of type %s cannot be bought, and needs no price', async (_, type) => {
    await service.newDeal(`free-${type}`, { type, current_price: null, value: null });
    const found = (await service.look(`/deals/free-${type}`, acme.key)).body.deal;
    expect([found.type, found.state]).toEqual([type, 'in-flight']);
    const answer = await tries(`free-${type}`);
    expect([answer.status, answer.body.error_type]).toEqual([422, 'cannot_fufill']);
  });

  it('C1: a deleted deal accepts no changes; it still shows as deleted', async () => {
    await dealIn('deleted', 'gone');
    const answer = await put('gone', { title: 'New' });
    expect([answer.status, answer.body.error_type]).toEqual([422, 'update_failed']);
    expect(await stateOf('gone')).toBe('deleted');
  });

  it('C1: a hold from before a pause stays held', async () => {
    await dealIn('in-flight', 'kept');
    const { id } = await reserve(service, acme.key, 'kept', 5);
    await move('kept', 'paused');
    await move('kept', 'in-flight');
    expect((await tries('kept')).status).toBe(422);
    expect((await service.ask('GET', `/purchases/${id}`, { key: acme.key })).body.purchase.fulfillment_state).toBe(
      'reserved',
    );
  });
});
