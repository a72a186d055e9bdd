import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Recorded } from '#kernel';
import { shareEngines } from '../../support/cluster.js';
import { eventsOf } from '../../support/data-folder.js';
import { discardLeftovers, RunningService, type Answer, type AskOptions } from '../../support/running-service.js';
import { SharedServers } from '../../support/shared-servers.js';
import { expectCertified } from '../../support/certified.js';
import { expectSoundLog, unitsByDeal } from '../../support/sound-log.js';
import { patience, size, tell } from '../size.js';

/**
 * Purchases before the kills, and about as many after them: a number instead of a time, because views on a stand-in follow
 * slowly.
 */
const PURCHASES = size('CLUSTER', 200);
/** Connections to each API. */
const BUYERS = 16;
const STOCK = 1_000_000;
const DEAL = 'hot';
/**
 * Purchases of each API before the kills: so many show that no API is shut out while the other one sells. No rule promises an
 * API a share, which is also a matter of how much of a busy machine it gets.
 */
const LEAST_EACH = 0.3 * PURCHASES;
/** Purchases before the kills after which an API without so many counts as shut out. */
const MOST_BEFORE_KILLS = 10 * PURCHASES;
/** Milliseconds that views may stand still while another worker begins to build them, on a stand-in and a busy machine. */
const PATIENCE = 240_000;
/** Followers that were cut off are due 5 s after their decision, by the service's clock. */
const UNTIL_DUE = 6;

const servers = await SharedServers.start();

(servers === undefined ? describe.skip : describe)('two APIs and two workers', () => {
  let service: RunningService;
  let key: string;
  let user: string;

  beforeAll(async () => {
    if (servers !== undefined) shareEngines(servers);
    service = await RunningService.start();
    ({ key } = await service.newPartner('acme'));
    user = await service.newUser(key, 'ada@example.org');
    await service.newDeal(DEAL, { stock: STOCK });
  });
  afterAll(async () => {
    await service.kill();
    await discardLeftovers();
    await servers?.stop();
  });

  /** Asks one API, without requiring the other one's writes unless the options do. */
  const askApi = (api: number, method: string, path: string, options: AskOptions = {}): Promise<Answer> =>
    service.ask(method, path, { key, at: service.urls[api] ?? '', headers: { 'holdfast-position': '0' }, ...options });

  it("A8: one API shows another one's write to a caller that sends its position", async () => {
    for (let round = 0; round < 10; round += 1) {
      const made = await askApi(round % 2, 'POST', '/users', { body: { email: `reader-${round}@example.org` } });
      const headers = { 'holdfast-position': made.headers['holdfast-position'] ?? '' };
      const read = await askApi((round + 1) % 2, 'GET', `/users/${made.body.user_id}`, { headers });
      expect([round, made.status, read.status]).toEqual([round, 200, 200]);
    }
  });

  it('A8: each API refuses a position that no process of the log knows', async () => {
    const headers = { 'holdfast-position': String(2n ** 62n) };
    for (const api of [0, 1]) {
      const answer = await askApi(api, 'POST', '/users', { body: { email: 'early@example.org' }, headers });
      expect([answer.status, answer.body.error_type]).toEqual([422, 'validation_failed']);
    }
  });

  it('A4 G2: a key works everywhere at once, and nowhere soon after it is revoked', async () => {
    const { id } = await service.newPartner('short-lived');
    const token = service.operatorToken;
    const { body: made } = await askApi(0, 'POST', `/operators/partners/${id}/keys`, { token });
    const uses = async (api: number): Promise<number> =>
      (await askApi(api, 'GET', '/regions', { key: made.api_key })).status;
    expect([await uses(0), await uses(1)]).toEqual([200, 200]);
    await askApi(0, 'DELETE', `/operators/partners/${id}/keys/${made.key_id}`, { token });
    expect(await uses(0)).toBe(401);
    while ((await uses(1)) !== 401) await pause(20);
  });

  it('G10 D1: a clock moved at one API moves in every process, and holds end in all of them', async () => {
    await service.newDeal('brief', { stock: 1 });
    const reserve = (api: number, position = '0'): Promise<Answer> =>
      askApi(api, 'POST', '/purchases/reserve', {
        body: { deal_id: 'brief', num_bought: 1 },
        headers: { 'holdfast-position': position },
      });
    expect([(await reserve(0)).status, (await reserve(1)).status]).toEqual([200, 422]);
    const token = service.operatorToken;
    const { body } = await askApi(0, 'GET', '/operators/clock', { token });
    const now = new Date(Date.parse(body.now) + 301_000).toISOString();
    const moved = await askApi(0, 'PUT', '/operators/clock', { token, body: { now } });
    expect((await reserve(1, moved.headers['holdfast-position'])).status).toBe(200);
  });

  it('G11.5: what each process has measured is shown by itself, and summed up', async () => {
    const sold = async (api: number): Promise<void> => {
      const held = await askApi(api, 'POST', '/purchases/reserve', { body: { deal_id: DEAL, num_bought: 1 } });
      const { id } = held.body.purchase;
      expect((await askApi(api, 'PUT', `/purchases/${id}/claim`, { body: { user_id: user } })).status).toBe(200);
    };
    for (const api of [0, 1, 1]) await sold(api);
    const token = service.auditorToken;
    /** The units that a line of values says were sold. */
    const units = (values: readonly (number | null)[]): number =>
      values.reduce<number>((sum, each) => sum + (each ?? 0), 0);
    for (;;) {
      const { body } = await askApi(0, 'GET', '/operators/metrics?series=sales_per_second', { token });
      const { sum, by_process } = body.series.sales_per_second;
      const processes = body.processes as readonly { readonly id: string; readonly role: string }[];
      const of = (role: string): number[] =>
        processes.filter((each) => each.role === role).map(({ id }) => units(by_process[id] ?? []));
      // A process stores what it has measured every ten seconds.
      if (of('api').toSorted().join() !== '1,2' || of('worker').length !== 2) {
        await pause(500);
        continue;
      }
      expect([units(sum), of('worker')]).toEqual([3, [0, 0]]);
      return;
    }
  });

  it(
    'D1: after kills of one API and of the worker that builds the views no answer is lost, nothing is oversold, both APIs sold while the other did, and the views catch up',
    async () => {
      const { apis, workers } = service.processes;
      const [one = '', two = ''] = service.urls;
      const yes = new Map([one, two].map((at) => [at, new Set<string>()]));
      const answers = new Map([one, two].map((at) => [at, new Map<string, number>()]));
      const note = (at: string, answer: string): void => {
        const counts = answers.get(at);
        counts?.set(answer, (counts.get(answer) ?? 0) + 1);
      };
      let refused = 0;
      /** Reservations whose claim got no answer. */
      const unanswered: string[] = [];
      let over = false;

      const claim = (at: string, id: string): Promise<Answer> =>
        service.ask('PUT', `/purchases/${id}/claim`, { key, at, body: { user_id: user } });
      const granted = (at: string, answer: Answer, what: string): boolean => {
        const { status, text, body } = answer;
        note(
          at,
          status === 503
            ? `${what} 503: ${String(body?.error_msg ?? text).replaceAll(/\d+/g, 'N')}`
            : `${what} ${status}`,
        );
        if (status === 200) return true;
        // The loop refuses overload.
        if (status !== 503) throw new Error(`${what}: ${status} ${text}`);
        refused += 1;
        return false;
      };
      const buyer = async (at: string): Promise<void> => {
        while (!over) {
          const body = { deal_id: DEAL, num_bought: 1 };
          const held = await service.ask('POST', '/purchases/reserve', { key, at, body }).catch(() => undefined);
          // The connection broke: the API is gone, and a hold whose answer was lost expires by itself.
          if (held === undefined) return;
          if (!granted(at, held, 'reserve')) continue;
          const id: string = held.body.purchase.id;
          try {
            if (granted(at, await claim(at, id), 'claim')) yes.get(at)?.add(id);
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code === undefined) throw error;
            unanswered.push(id);
            return;
          }
        }
      };

      const buyers = [one, two].flatMap((at) => Array.from({ length: BUYERS }, () => buyer(at)));
      const count = (): number => [...yes.values()].reduce((sum, ids) => sum + ids.size, 0);
      const bothSell = (): boolean => [...yes.values()].every((ids) => ids.size >= LEAST_EACH);
      while (count() < PURCHASES || (!bothSell() && count() < MOST_BEFORE_KILLS)) await pause(10);
      const before = [...yes.values()].map(({ size: purchases }) => purchases);
      const bothSold = bothSell();
      // Refusals and slowness look the same in the number of purchases.
      const answersBefore = [...answers.values()].map((counts) => Object.fromEntries(counts));
      const projecting = workers.find(({ printed }) => printed.includes('this worker builds the views now'));
      if (projecting === undefined) throw new Error('no worker says that it builds the views');
      await Promise.all([apis[1]?.end('SIGKILL'), projecting.end('SIGKILL')]);
      const orphans = Array.from({ length: BUYERS }, () => buyer(one));
      const atKills = count();
      while (count() < atKills + PURCHASES) await pause(10);
      over = true;
      await Promise.all([...buyers, ...orphans]);

      // Callers without an answer ask the other API, and get the same answer if the sale is already in the log.
      await forward(service, one, UNTIL_DUE);
      for (const id of unanswered) {
        while (!granted(one, await claim(one, id), 'claim again')) await pause(100);
        yes.get(two)?.add(id);
      }

      const bought = new Set([...yes.values()].flatMap((ids) => [...ids]));
      await caughtUp(service, one, bought, key);
      const events = await eventsOf(service.dataDir);
      expectSoundLog(events);
      await expectCertified(events);
      const recorded = purchasesIn(events);
      expect([...bought].filter((id) => !recorded.has(id))).toEqual([]);
      expect(unitsByDeal(events).get(DEAL)?.at(-1)?.sold).toBe(recorded.size);
      tell(
        'CLUSTER',
        `on ${servers?.what}: before the kills ${before.join(' and ')} purchases; ${bought.size} in all, ${recorded.size} in ` +
          `the log; ${unanswered.length} claims without an answer, told on asking again; ${refused} × 503`,
      );
      // As text, because Jest leaves out what two objects have in common.
      expect(bothSold ? 'both sold' : JSON.stringify({ before, answersBefore })).toBe('both sold');
    },
    patience(MOST_BEFORE_KILLS, 500),
  );
});

/** Moves the service's time forward through one API, because the other one is gone. */
async function forward(service: RunningService, at: string, seconds: number): Promise<void> {
  const token = service.operatorToken;
  const { body } = await service.ask('GET', '/operators/clock', { at, token });
  const now = new Date(Date.parse(body.now) + seconds * 1_000).toISOString();
  for (;;) {
    const { status, text } = await service.ask('PUT', '/operators/clock', { at, token, body: { now } });
    if (status === 200) return;
    // The rest of the load may keep it busy for a moment.
    if (status !== 503) throw new Error(text);
  }
}

/**
 * Waits until the views show everything that was bought, as long as they make progress. The last report of a killed worker counts
 * for some seconds and may say that nothing is behind, so a purchase is read too: the read knows what was written.
 */
async function caughtUp(service: RunningService, at: string, bought: ReadonlySet<string>, key: string): Promise<void> {
  const [last] = [...bought].slice(-1);
  let least = Infinity;
  let lessened = Date.now();
  for (;;) {
    const { status, body } = await service.health({ at });
    const lags = (body.views as { lag: number }[]).map(({ lag }) => lag);
    if (status === 200 && lags.every((lag) => lag === 0)) {
      const read = await service.ask('GET', `/purchases/${last}`, { at, key });
      if (read.status === 200) {
        expect(read.body.purchase.fulfillment_state).toBe('fulfilled');
        return;
      }
      if (read.status !== 503) throw new Error(`${read.status} ${read.text}`);
    }
    const most = Math.max(...lags);
    if (most < least) [least, lessened] = [most, Date.now()];
    if (Date.now() > lessened + PATIENCE) throw new Error(`the views do not catch up: ${JSON.stringify(body)}`);
    await pause(100);
  }
}

function purchasesIn(events: readonly Recorded[]): ReadonlySet<string> {
  return new Set(
    events
      .filter(({ type }) => type === 'purchase-recorded.v1')
      .map(({ data }) => (data as { purchase_id: string }).purchase_id),
  );
}
