import { describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { type Fault, nothingChecked } from '#eventsourcing/verify';
import { KeyValuesInMemory } from '../../../test/support/key-values-in-memory.js';
import type { AuditJob } from './audit-pass.js';
import type { AuditHearer } from './audit-thread.js';
import { LedgerAudit } from './ledger-audit.js';
import { SelfAudit } from './self-audit.js';

const HEAD = 500n;
const fault = (where: string): Fault => ({ kind: 'sum', where, position: '7', what: 'its sold is 3' });

/** A self-audit whose thread does what a test says with each job. */
class Audited {
  readonly keyValues = new KeyValuesInMemory();
  readonly jobs: AuditJob[] = [];
  readonly logged = jest.fn();
  readonly warned = jest.fn();
  readonly found = jest.fn();
  /** Does a job. */
  work: (job: AuditJob, on: AuditHearer) => void = () => undefined;

  audit(rows = 0): SelfAudit {
    const { keyValues, found } = this;
    return new SelfAudit({
      start: (_, on) => ({
        run: async (job) => {
          this.jobs.push(job);
          this.work(job, on);
          return {
            checked: { ...nothingChecked(), events: Number(job.until - job.after) },
            without: {},
            sizes: new Map(),
          };
        },
        close: () => Promise.resolve(),
      }),
      data: {} as never,
      log: { head: () => Promise.resolve(HEAD) },
      readers: { reader: () => ({ count: () => Promise.resolve(rows) }) } as never,
      ...{ keyValues, found, ledger: new LedgerAudit({} as never, undefined), gateway: 'sandbox' },
      logger: { error: this.logged, warn: this.warned, info: jest.fn() } as never,
      time: thisMachine.time,
      clock: { now: () => 9_000 },
      mode: 'at-once',
    });
  }

  /** Runs one until this is so. */
  async until(isSo: (audit: SelfAudit) => boolean, audit = this.audit()): Promise<SelfAudit> {
    const stop = new AbortController();
    const running = audit.run(stop.signal);
    while (!isSo(audit)) await thisMachine.time.pause(5);
    stop.abort();
    await running;
    return audit;
  }
}

describe('G7.10: the self-audit', () => {
  it('checks streams and rows of the whole log, and says when and what', async () => {
    const audited = new Audited();
    const { status, counters } = await audited.until(({ counters: { passes } }) => passes === 1);
    expect(
      audited.jobs.map(({ after, until, order, streams, rows }) => ({ after, until, order, streams, rows })),
    ).toEqual([
      { after: 0n, until: HEAD, order: true, streams: { index: 0, of: 1 }, rows: undefined },
      { after: 0n, until: HEAD, order: false, streams: undefined, rows: { index: 0, of: 1 } },
    ]);
    expect(status).toMatchObject({
      last: { at: 9_000, position: '500', events: 500, faults: 0 },
      faults: [],
      count: 0,
    });
    expect(counters).toEqual({ passes: 1, events: 500, faults: 0 });
  });

  it('compares other rows in each pass, if there are more than it holds', async () => {
    const audited = new Audited();
    await audited.until(({ counters: { passes } }) => passes === 3, audited.audit(3_000));
    const parts = audited.jobs.flatMap(({ rows }) => rows ?? []);
    expect(parts[0]?.of).toBeGreaterThan(1);
    expect(parts.slice(0, 3).map(({ index, of }) => index % of)).toEqual(
      [0, 1, 2].map((at) => at % (parts[0]?.of ?? 1)),
    );
  });

  it('logs each finding once, and shows it until a whole pass no longer finds it', async () => {
    const audited = new Audited();
    audited.work = ({ streams }, on) => streams && on.fault(fault('inventory-a@3'));
    const { status } = await audited.until(({ counters: { passes } }) => passes === 2);
    expect([status.faults, status.count]).toEqual([[fault('inventory-a@3')], 1]);
    expect(audited.logged).toHaveBeenCalledTimes(1);
    expect(audited.logged.mock.calls[0]?.[1]).toMatch(
      /^the self-audit found: inventory-a@3: its sold is 3\. The event does not/,
    );

    audited.work = () => undefined;
    const again = audited.audit();
    await audited.until(({ counters: { passes } }) => passes === 1, again);
    expect([again.status.faults, again.status.count]).toEqual([[], 0]);
  });

  it('shows what an earlier process has found, and when', async () => {
    const audited = new Audited();
    audited.work = ({ streams }, on) => streams && on.fault(fault('inventory-a@3'));
    await audited.until(({ counters: { passes } }) => passes === 1);
    const other = audited.audit();
    const stop = new AbortController();
    const following = other.follow(stop.signal);
    while (other.status.last === undefined) await thisMachine.time.pause(5);
    stop.abort();
    await following;
    expect(other.status).toMatchObject({ last: { at: 9_000 }, faults: [fault('inventory-a@3')], progress: null });
  });

  it('keeps a bounded number of findings, and counts the others', async () => {
    const audited = new Audited();
    audited.work = ({ streams }, on) => {
      for (let at = 0; streams !== undefined && at < 50; at += 1) on.fault(fault(`inventory-a@${at}`));
    };
    const { status } = await audited.until(({ counters: { passes } }) => passes === 1);
    expect([status.faults.length, status.count]).toEqual([20, 50]);
  });

  it('tells the guard of a gap, and tries again after a pass that failed', async () => {
    const audited = new Audited();
    const gap = { code: 'c', kind: 'gap', stream: 'deal-a', words: 'w' } as const;
    let tries = 0;
    audited.work = (_, on) => {
      tries += 1;
      if (tries === 1) throw new Error('the log does not answer');
      if (tries === 2) on.found(gap);
    };
    await audited.until(({ counters: { passes } }) => passes === 1);
    expect(audited.warned).toHaveBeenCalledTimes(1);
    expect(audited.found).toHaveBeenCalledWith(gap);
  });
});
