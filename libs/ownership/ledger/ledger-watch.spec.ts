import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Finding, LedgerMark, LogRecord } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { GatewayOutcomeUnknown, isKnownToLog, type LedgerEntry, type LedgerPage } from '#purchasing';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { LedgerLines } from './ledger-lines.js';
import type { KnownEnd } from './ledger-marks.js';
import { type KeptLedger, LedgerWatch } from './ledger-watch.js';

/** Lines of one part of the gateway's ledger. */
const PART = 2;

describe('D7, G11: a ledger that is ahead of the log', () => {
  /** The purchases that the log knows, and those that the gateway has charged, in order. */
  let known: Set<string>;
  let charged: string[];
  let away: boolean;
  /** The mark beside the keys, in lines. */
  let noted: number | undefined;
  let reads: number[];
  let refused: Finding[];
  let accepted: Set<string>;
  let lost: string[];
  let time: VirtualTime;
  let watch: LedgerWatch;

  const markAt = (size: number): LedgerMark => ({ identity: 'ledger', size, digest: `${size}` });
  const gateway = {
    identity: () => Promise.resolve('ledger'),
    async linesAfter({ size }: LedgerMark): Promise<LedgerPage> {
      reads.push(size);
      const entries = charged
        .slice(size, size + PART)
        .map((key): LedgerEntry => ({ kind: 'charge', key, charge: key, amount: 100 }));
      const end = size + entries.length;
      return { entries, end: markAt(end), more: end < charged.length };
    },
  };
  const marks: KnownEnd = {
    async look() {
      if (away) throw new GatewayOutcomeUnknown('the gateway gave no answer');
      return { known: noted === undefined ? undefined : markAt(noted), there: markAt(charged.length), reached: true };
    },
    reach: async ({ size }) => void (noted = size),
    begin: async ({ size }) => void (noted = size),
    close: () => Promise.resolve(),
  };
  const readStream = async (stream: string): Promise<readonly Recorded[]> =>
    known.has(stream.replace('purchase-', ''))
      ? [{ type: 'purchase-opened.v1', revision: 0, data: {} } as unknown as Recorded]
      : [];
  const record: LogRecord = { identity: 'log', owner: { installation: 'i', keys: 'k', ledger: 'ledger' } };

  beforeEach(() => {
    known = new Set(['p1', 'p2', 'p3', 'p4', 'p5']);
    charged = ['p1', 'p2', 'p3', 'p4', 'p5'];
    away = false;
    noted = 0;
    [reads, refused, lost] = [[], [], []];
    accepted = new Set();
    time = new VirtualTime();
    watch = watchOf(
      { ledger: gateway, marks, lines: new LedgerLines(gateway, (entry) => isKnownToLog({ readStream }, entry)) },
      record,
    );
  });
  afterEach(() => watch.close());

  function watchOf(kept: KeptLedger | undefined, its: LogRecord): LedgerWatch {
    return new LedgerWatch({
      log: { record: () => Promise.resolve(its), own: () => Promise.resolve(true) },
      kept,
      refuses(finding) {
        if (accepted.has(finding.code)) return false;
        refused.push(finding);
        return true;
      },
      lost: (names) => void lost.push(...names),
      accepts: ({ code }) => accepted.has(code),
      notice: () => undefined,
      time,
    });
  }

  it('is needed only by a log that names one', async () => {
    await watchOf(undefined, { identity: 'log', owner: { installation: 'i', keys: 'k' } }).passed();
    const without = watchOf(undefined, record);
    await expect(without.passed()).rejects.toThrow('the payment gateway needs an operator');
    expect(without.findings[0]?.words).toContain('The payment gateway names no ledger');
    without.close();
  });

  it('by purchases that the log knows, as after a kill, is no finding: the known end moves on', async () => {
    await watch.passed();
    expect([refused, noted, reads]).toEqual([[], 5, [0, 2, 4]]);
    watch.doubt();
    charged.push('p1');
    await watch.passed();
    // Only what is new was read.
    expect([noted, reads]).toEqual([6, [0, 2, 4, 5]]);
  });

  it('by a purchase that the log does not know is refused, with what accepting it loses', async () => {
    known.delete('p4');
    known.delete('p5');
    await expect(watch.passed()).rejects.toThrow('the event log needs an operator');
    const [finding] = refused;
    expect([finding?.kind, finding?.stream]).toEqual(['ledger lines', undefined]);
    expect(finding?.words).toContain(
      'it does not know 2 of its lines, such as charge p4 (100 cents), charge p5 (100 cents)',
    );
    expect(finding?.words).toContain('nothing here gives their money back');
    // The next check, by any process and after any restart, begins where the log still knew everything.
    expect([noted, lost]).toEqual([2, []]);
    await expect(watch.passed()).rejects.toThrow('the event log needs an operator');
    expect(refused.map(({ code }) => code)).toEqual([finding?.code, finding?.code]);
  });

  it('is used once its finding is accepted: each line is named, and the next start finds nothing', async () => {
    for (const key of ['p2', 'p4', 'p5']) known.delete(key);
    await expect(watch.passed()).rejects.toThrow('needs an operator');
    accepted.add(refused[0]?.code ?? '');
    await watch.passed();
    expect(lost).toEqual(['charge p2 (100 cents)', 'charge p4 (100 cents)', 'charge p5 (100 cents)']);
    watch.doubt();
    reads = [];
    await watch.passed();
    expect([noted, reads]).toEqual([5, []]);
  });

  it('has another code when it has done more that the log does not know', async () => {
    known.delete('p5');
    await expect(watch.passed()).rejects.toThrow('needs an operator');
    accepted.add(refused[0]?.code ?? '');
    charged.push('p9');
    await expect(watch.passed()).rejects.toThrow('needs an operator');
    expect(refused[1]?.words).toContain('2 of its lines');
  });

  it('is not read before anything is known of it', async () => {
    noted = undefined;
    known.clear();
    await watch.passed();
    expect([noted, reads]).toEqual([5, []]);
  });

  it('is found although nobody buys, once a gateway that was away at the start is back', async () => {
    known.delete('p1');
    away = true;
    await expect(watch.passed()).rejects.toThrow(GatewayOutcomeUnknown);
    await time.pass(2_000);
    expect(refused).toEqual([]);
    away = false;
    await time.pass(2_000);
    expect(refused).toHaveLength(1);
  });
});
