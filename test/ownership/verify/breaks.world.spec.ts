import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buy, claim, reserve } from '../../support/buying.js';
import { buyFull, cardOf, GOOD_CARD } from '../../support/cards.js';
import { describeOnEmbedded } from '../../support/on-embedded.js';
import { discardLeftovers, type Json, newDataDir, RunningService } from '../../support/running-service.js';
import { brokenCopy, type LogFile, type StoredEvent } from './broken-log.js';

const WEEK = 7 * 86_400_000;
const nameOf = ({ stream, revision }: StoredEvent): string => `${stream}@${revision}`;

/** What found a break: `kind where`. */
interface Found {
  /** What a start refuses. */
  readonly start: readonly string[];
  readonly selfAudit: readonly string[];
  readonly verify: readonly string[];
}

/** A break by hand: what it changes, and the event at which it shows first. */
interface Break {
  /** Changes the log. @returns where it shows */
  readonly by: (log: LogFile) => string;
  /** The kinds of all findings. */
  readonly kinds: readonly string[];
  /** A start may find it too: if a view has seen the event last, or still has to read it. */
  readonly start?: true;
}

const BREAKS: Readonly<Record<string, Break>> = {
  'a changed price': {
    by(log) {
      const sale = log.one('hold-claimed.v1', 1);
      log.change(sale, { price: Number(sale.data.price) + 1 });
      return nameOf(sale);
    },
    kinds: ['follower', 'sum'],
  },
  'a changed actor': {
    by(log) {
      const recorded = log.one('purchase-recorded.v1', 1);
      log.set(recorded, 'actor', 'operator:mallory');
      return nameOf(recorded);
    },
    kinds: ['cause', 'row'],
  },
  'a time moved back a week': {
    by(log) {
      const placed = log.one('hold-placed.v1', 1);
      log.set(placed, 'time', placed.time - WEEK);
      return nameOf(placed);
    },
    kinds: ['cause', 'follower', 'sum', 'time'],
  },
  'a changed sold': {
    by(log) {
      const sale = log.one('hold-claimed.v1', 1);
      log.change(sale, { sold: sale.data.sold - 1 });
      return nameOf(sale);
    },
    kinds: ['sum'],
  },
  'a deleted coupon stream': {
    by(log) {
      const issued = log.one('coupon-issued.v1', 1);
      log.deleteStream(issued.stream);
      return issued.causation ?? '';
    },
    kinds: ['missing', 'row'],
    start: true,
  },
  'a deleted event in the middle': {
    by(log) {
      const sale = log.one('hold-claimed.v1', 1);
      log.delete(sale);
      return `${sale.stream}@${sale.revision + 1}`;
    },
    kinds: ['follower', 'missing', 'row'],
    start: true,
  },
  'two swapped events': {
    by(log) {
      const [one, other] = [log.one('hold-placed.v1', 1), log.one('hold-claimed.v1', 1)];
      log.swap(one, other);
      return nameOf(other);
    },
    kinds: ['follower', 'missing', 'order', 'row'],
    start: true,
  },
  'a coupon too many': {
    by(log) {
      const issued = log.one('coupon-issued.v1', 1);
      const coupon_id = `${issued.data.coupon_id}-more`;
      const stream = `coupon-${coupon_id}`;
      log.add(issued, { stream, data: { ...issued.data, coupon_id } });
      return `${stream}@0`;
    },
    kinds: ['follower'],
  },
  'a return without a cause': {
    by(log) {
      const returned = log.one('unit-returned.v1', -1);
      const last = log.events.findLast(({ stream, data }) => stream === returned.stream && 'sold' in data);
      const { sold, held, codes_left, stock } = last?.data ?? {};
      log.add(returned, {
        causation: null,
        data: { ...returned.data, unit: 0, sold: sold - 1, held, codes_left, stock },
      });
      return `${returned.stream}@${log.events.filter(({ stream }) => stream === returned.stream).length - 1}`;
    },
    kinds: ['follower'],
  },
  'a code that is given twice': {
    by(log) {
      const [first, sale] = [log.one('hold-claimed.v1', 0), log.one('hold-claimed.v1', 1)];
      const [coupon, ...others] = sale.data.coupons as Json[];
      log.change(sale, { coupons: [{ ...coupon, code: first.data.coupons[0].code }, ...others] });
      return nameOf(sale);
    },
    kinds: ['follower', 'sum'],
  },
  'a charge without a sale': {
    by(log) {
      const charged = log.one('purchase-charged.v1', 0);
      const stream = 'purchase-of-nobody';
      log.add(charged, { stream, causation: null, data: { ...charged.data, purchase_id: 'of-nobody' } });
      return `${stream}@0`;
    },
    kinds: ['ledger', 'sum'],
  },
  'held below 0': {
    by(log) {
      const released = log.one('hold-released.v1', 0);
      const last = log.events.findLast(({ stream, data }) => stream === released.stream && 'sold' in data);
      const { sold, codes_left, stock } = last?.data ?? {};
      log.add(released, { causation: null, data: { ...released.data, sold, codes_left, stock, held: -1 } });
      return `${released.stream}@${log.events.filter(({ stream }) => stream === released.stream).length - 1}`;
    },
    kinds: ['sum'],
  },
  'a unit that is sold twice': {
    by(log) {
      const sale = log.one('hold-claimed.v1', 1);
      const [coupon, ...others] = sale.data.coupons as Json[];
      log.change(sale, { coupons: [{ ...coupon, unit: 0 }, ...others] });
      return nameOf(sale);
    },
    kinds: ['follower', 'sum'],
  },
  'a maximum that is passed': {
    by(log) {
      const sales = log.of('hold-claimed.v1');
      const [first, last] = [sales[0], sales.at(-1)];
      if (first === undefined || last === undefined) throw new Error('two sales');
      log.change(last, { user_id: first.data.user_id });
      return nameOf(last);
    },
    kinds: ['follower', 'sum'],
  },
};

describeOnEmbedded('G7.10: what a change of the stopped log by hand is found by', () => {
  const dataDir = newDataDir();

  beforeAll(async () => {
    const service = await RunningService.start({ dataDir });
    const acme = await service.newPartner('acme');
    const redemption_code_pool = Array.from({ length: 20 }, (_, at) => `CODE-${at}`);
    await service.newDeal('lunch', { stock: 20, max_per_user: 2, redemption_code_pool });
    await service.newDeal('supper', { stock: 20 });
    const users = [];
    for (const name of ['ann', 'bob', 'cid']) users.push(await service.newUser(acme.key, `${name}@example.com`));
    const [ann = '', bob = '', cid = ''] = users;
    await buy(service, acme.key, 'lunch', ann, 2);
    const { coupons } = await buy(service, acme.key, 'lunch', bob);
    const { id } = await reserve(service, acme.key, 'lunch');
    await service.ask('PUT', `/purchases/${id}/release`, { key: acme.key });
    await service.operate('POST', `/coupons/${coupons[0].id}/cancel`, { reason: 'a spec' });
    const expired = await reserve(service, acme.key, 'lunch');
    await service.forward(301);
    await claim(service, acme.key, expired.id, cid);
    await reserve(service, acme.key, 'lunch');
    const bought = await buyFull(service, acme, {
      deal_id: 'supper',
      quantity: 1,
      user_id: ann,
      credit_card: cardOf(GOOD_CARD),
    });
    if (bought.status !== 200) throw new Error(`${bought.status} ${bought.text}`);
    await buy(service, acme.key, 'lunch', cid);
    await service.stop();
  });
  afterAll(discardLeftovers);

  /** Starts a service on a folder, waits for its self-audit, and verifies. */
  const foundIn = async (folder: string): Promise<Found> => {
    const first = await RunningService.start({ dataDir: folder, env: { SELF_AUDIT: 'off' }, unready: true });
    const start = (await first.health()).body;
    expect(start.audit).toBeNull();
    await first.stop();
    const service = await RunningService.start({ dataDir: folder, env: { SELF_AUDIT: 'at-once' }, unready: true });
    try {
      let health: Json;
      do {
        await new Promise((resolve) => setTimeout(resolve, 50));
        health = (await service.health()).body;
        // Nothing audits a log that is refused.
      } while (health.audit !== null && typeof health.audit?.last_ended !== 'string');
      const { text } = await service.ask('GET', '/auditors/verification', { token: service.auditorToken });
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line): Json => JSON.parse(line));
      expect(lines.at(-1)).toHaveProperty('end');
      return {
        start: (start.findings as Json[]).map(({ message }) => message),
        selfAudit: ((health.audit?.findings ?? []) as Json[]).map(({ code, where }) => `${code} ${where}`),
        verify: lines.flatMap(({ finding }) => (finding === undefined ? [] : [`${finding.kind} ${finding.where}`])),
      };
    } finally {
      await service.stop();
    }
  };

  it('a sound log: nothing', async () => {
    const folder = brokenCopy(dataDir, () => undefined);
    expect(await foundIn(folder)).toEqual({ start: [], selfAudit: [], verify: [] });
  });

  // A start reads little of the log. docs/ownership.md has this table.
  it.each(Object.entries(BREAKS))('%s: by the self-audit and by verify', async (_, { by, kinds, start: mayStart }) => {
    let where = '';
    const folder = brokenCopy(dataDir, (log) => (where = by(log)));
    const { start, selfAudit, verify } = await foundIn(folder);
    const at = expect.stringMatching(new RegExp(` ${where}$`));
    expect(verify).toContainEqual(at);
    expect(kindsOf(verify)).toEqual(kinds);
    if (mayStart === true && start.length > 0) {
      expect(start).toEqual([expect.stringMatching(/has lost events|has no event at position/)]);
      return;
    }
    expect(start).toEqual([]);
    expect(selfAudit).toContainEqual(at);
    expect(kindsOf(selfAudit)).toEqual(kinds);
  });
});

/** The kinds of these, each once. */
const kindsOf = (found: readonly string[]): readonly string[] =>
  [...new Set(found.map((each) => each.slice(0, each.indexOf(' '))))].toSorted();
