import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LedgerMark } from '#eventsourcing';
import {
  GatewayOutcomeUnknown,
  OtherLedger,
  type ChargeOutcome,
  type GatewayLedger,
  type LedgerEntry,
  type PaymentGateway,
} from '#purchasing';

/** A gateway with its data. */
export interface PaymentGatewaySubject {
  readonly gateway: PaymentGateway;
  /** What the gateway has done, readable: one line each, without times and references. */
  ledger(): readonly object[];
  /** Closes this one, and opens the same gateway as another process would see it. */
  reopen(): Promise<PaymentGateway>;
  /** How far its ledger is. */
  mark(): Promise<LedgerMark>;
  /** A charge of one dollar for another installation that has the same gateway. */
  chargeForAnother(key: string): Promise<unknown>;
  /** Lets the time pass after which a call without an answer is given up. No other time passes for the gateway. */
  giveUp(): Promise<void>;
  /** Closes everything that is open and deletes it. */
  dispose(): Promise<void>;
}

/** The ledger of a gateway that has one. */
function ledgerOf({ ledger }: PaymentGateway): GatewayLedger {
  if (ledger === undefined) throw new Error('the gateway has no ledger');
  return ledger;
}

/** The cards of the sandbox (ruling D8). */
const GOOD = '4242424242424242';
const DECLINED = '4000000000000002';
const NO_FUNDS = '4000000000009995';
const SILENT_AT_FIRST = '4000000000000119';
const ANSWER_LOST = '4000000000000259';

const REPEATS = Array.from({ length: 50 }, (_, index) => index);

/** Milliseconds after which a call that was carried out has its answer, or gets none. */
const SILENCE = 200;

/** What every adapter of the sandbox gateway must do. */
export function paymentGatewayContract(name: string, makeSubject: () => Promise<PaymentGatewaySubject>): void {
  describe(`payment gateway contract: ${name}`, () => {
    let subject: PaymentGatewaySubject;
    let gateway: PaymentGateway;
    beforeEach(async () => {
      subject = await makeSubject();
      gateway = subject.gateway;
    });
    afterEach(() => subject.dispose());

    const referred = (key: string, number = GOOD, amount = 1000): Promise<ChargeOutcome> =>
      gateway.charge(key, {
        amount,
        card: { number, month: '12', year: '2099', zip_code: '02139', verification_value: '937' },
      });
    /** The outcome of a charge without its reference. */
    const charge = async (...request: Parameters<typeof referred>): Promise<object> => {
      const { reference, ...outcome } = await referred(...request);
      expect(reference).toEqual(expect.stringMatching(/./));
      return outcome;
    };
    /** The cents that a cancellation gave back. */
    const cancel = async (key: string): Promise<number> => (await gateway.cancel(key)).amount;
    /** The outcome of a call, or the name of its error. */
    const ended = (call: Promise<unknown>): Promise<unknown> =>
      call.catch((error: unknown) => (error instanceof GatewayOutcomeUnknown ? 'unknown' : (error as Error).message));
    /** That a call is carried out under this key, and ends without an answer. */
    const unanswered = async (key: string, call: Promise<unknown>): Promise<void> => {
      const end = ended(call);
      while (!subject.ledger().some((line) => (line as { key?: string }).key === key)) await pause(5);
      await pause(SILENCE);
      await subject.giveUp();
      expect(await end).toBe('unknown');
    };
    const charged = (key: string, outcome: string, last4 = '4242', more: object = {}): object => ({
      kind: 'charge',
      key,
      amount: 1000,
      last4,
      outcome,
      ...more,
    });

    // A checkout repeats its charge after every crash and timeout: if the gateway took it twice, the buyer would pay twice.
    it('D8: 50 repeats of a charge at once take the money once, and all get the same outcome', async () => {
      const outcomes = await Promise.all(REPEATS.map(() => charge('p1')));
      expect(outcomes).toEqual(REPEATS.map(() => ({ kind: 'approved' })));
      expect(await charge('p1')).toEqual({ kind: 'approved' });
      expect(subject.ledger()).toEqual([charged('p1', 'approved')]);
    });

    // A refusal is an outcome too: a repeat must get the same one, with any card.
    it('D8: a declined charge names the reason, takes nothing, and stays declined', async () => {
      for (const _ of [1, 2]) {
        expect(await charge('p1', DECLINED)).toEqual({ kind: 'declined', reason: 'the card was declined' });
        expect(await charge('p2', NO_FUNDS)).toEqual({ kind: 'declined', reason: 'insufficient funds' });
      }
      expect(await charge('p1', GOOD)).toEqual({ kind: 'declined', reason: 'the card was declined' });
      expect(subject.ledger()).toEqual([
        charged('p1', 'declined', '0002', { reason: 'the card was declined' }),
        charged('p2', 'declined', '9995', { reason: 'insufficient funds' }),
      ]);
    });

    // The gateway approves every card except the four: partners test with their own cards.
    it("D8: the gateway approves every other card, even the interface's sample card", async () => {
      for (const number of [GOOD, '424242424242424', '378282246310005', '6304000000000000000']) {
        expect(await charge(`p-${number}`, number)).toEqual({ kind: 'approved' });
      }
    });

    // This charge was not made, but the caller cannot know that: only the repeat tells.
    it('D8: …0119 gets no answer until the charge is repeated, then approval; each charge by itself', async () => {
      await unanswered('p1', charge('p1', SILENT_AT_FIRST));
      expect(subject.ledger()).toEqual([charged('p1', 'silent', '0119')]);
      expect(await charge('p1', SILENT_AT_FIRST)).toEqual({ kind: 'approved' });
      await unanswered('p2', charge('p2', SILENT_AT_FIRST));
      const outcomes = await Promise.all(REPEATS.map(() => charge('p2', SILENT_AT_FIRST)));
      expect(outcomes).toEqual(REPEATS.map(() => ({ kind: 'approved' })));
      expect(subject.ledger()).toEqual([
        charged('p1', 'silent', '0119'),
        charged('p1', 'approved', '0119'),
        charged('p2', 'silent', '0119'),
        charged('p2', 'approved', '0119'),
      ]);
    });

    // The worst case: the gateway took the money, and the service does not know.
    it('D8: …0259 is charged although its first answer is lost, and once only', async () => {
      await unanswered('p1', charge('p1', ANSWER_LOST));
      expect(subject.ledger()).toEqual([charged('p1', 'approved', '0259')]);
      expect(await charge('p1', ANSWER_LOST)).toEqual({ kind: 'approved' });
      const rivals = REPEATS.map(() => charge('p2', ANSWER_LOST));
      let answered = 0;
      for (const rival of rivals) void ended(rival).then(() => (answered += 1));
      while (answered < REPEATS.length - 1) await pause(5);
      await pause(SILENCE);
      await subject.giveUp();
      const ends = await Promise.all(rivals.map(ended));
      expect(ends.filter((end) => end === 'unknown')).toHaveLength(1);
      expect(subject.ledger()).toEqual([charged('p1', 'approved', '0259'), charged('p2', 'approved', '0259')]);
    });

    // The outcome of a charge is final, even when the process ends.
    it('D8: outcomes, first silences and lost answers survive a restart', async () => {
      await charge('p1');
      await charge('p2', DECLINED);
      await unanswered('p3', charge('p3', SILENT_AT_FIRST));
      await unanswered('p4', charge('p4', ANSWER_LOST));
      await gateway.refund('r1', { key: 'p1', amount: 300 });
      await gateway.cancel('p5');
      const before = subject.ledger();
      gateway = await subject.reopen();
      expect(await charge('p1')).toEqual({ kind: 'approved' });
      expect(await charge('p2', DECLINED)).toMatchObject({ kind: 'declined' });
      expect(await charge('p4', ANSWER_LOST)).toEqual({ kind: 'approved' });
      await gateway.refund('r1', { key: 'p1', amount: 300 });
      expect(subject.ledger()).toEqual(before);
      expect(await charge('p3', SILENT_AT_FIRST)).toEqual({ kind: 'approved' });
      expect(await charge('p5')).toEqual({ kind: 'cancelled' });
      expect(await ended(gateway.refund('r2', { key: 'p1', amount: 701 }))).toBe(
        'only 700 cents are left of the charge',
      );
    });

    // An auditor finds an event's charge under its reference: if a repeat changed it, they would find nothing.
    it('D7: each action has its own reference, which neither its repeats nor a restart change', async () => {
      const all = async (): Promise<unknown[]> => [
        (await referred('p1')).reference,
        (await referred('p2', DECLINED)).reference,
        (await gateway.refund('r1', { key: 'p1', amount: 300 })).reference,
        (await gateway.cancel('p3')).reference,
        (await referred('p3')).reference,
        (await gateway.cancel('p1')).reference,
      ];
      const first = await all();
      expect(new Set(first).size).toBe(first.length);
      expect(await all()).toEqual(first);
      gateway = await subject.reopen();
      expect(await all()).toEqual(first);
      expect(first).not.toContain((await referred('p4')).reference);
    });

    // A gateway that does not know a charge takes it again, so a service first asks which ledger the gateway has.
    it("names its ledger: always by the same name, never by another ledger's name", async () => {
      const name = await ledgerOf(gateway).identity();
      expect(name).toMatch(/./);
      await charge('p1');
      expect(await ledgerOf(gateway).identity()).toBe(name);
      gateway = await subject.reopen();
      expect(await ledgerOf(gateway).identity()).toBe(name);
      expect(await charge('p1')).toEqual({ kind: 'approved' });
      const other = await makeSubject();
      expect(await ledgerOf(other.gateway).identity()).not.toBe(name);
      await other.dispose();
    });

    // One key for two purchases is the caller's mistake: an answer would be about the other purchase.
    it('D8: the gateway refuses a key that comes back with another amount', async () => {
      await charge('p1');
      expect(await ended(charge('p1', GOOD, 1001))).toBe('the key was used for another amount');
      expect(subject.ledger()).toEqual([charged('p1', 'approved')]);
    });

    // Giving back more than was taken is a loss; so is a refund done twice.
    it('D8: refunds give back at most the charged amount, each once', async () => {
      await charge('p1');
      await Promise.all(REPEATS.map(() => gateway.refund('r1', { key: 'p1', amount: 600 })));
      expect(await ended(gateway.refund('r2', { key: 'p1', amount: 401 }))).toBe(
        'only 400 cents are left of the charge',
      );
      await gateway.refund('r3', { key: 'p1', amount: 400 });
      await gateway.refund('r1', { key: 'p1', amount: 600 });
      expect(await ended(gateway.refund('r4', { key: 'p1', amount: 1 }))).toBe('only 0 cents are left of the charge');
      expect(await ended(gateway.refund('r1', { key: 'p1', amount: 1 }))).toBe('the key was used for another refund');
      const refund = { kind: 'refund', charge: 'p1', outcome: 'refunded' };
      expect(subject.ledger()).toEqual([
        charged('p1', 'approved'),
        { ...refund, key: 'r1', amount: 600 },
        { ...refund, key: 'r3', amount: 400 },
      ]);
    });

    // A hundred refunds of one charge at once: their sum counts.
    it('D8: rival refunds never get more than what is left of the charge', async () => {
      await charge('p1');
      const ends = await Promise.all(
        REPEATS.map((index) => ended(gateway.refund(`r${index}`, { key: 'p1', amount: 300 }))),
      );
      expect(ends.filter((end) => typeof end === 'object')).toHaveLength(3);
      expect(subject.ledger()).toHaveLength(4);
    });

    // The gateway took nothing, so it must give nothing back.
    it('D8: the gateway refunds nothing for a charge that was declined, cancelled, silent or never made', async () => {
      await charge('p1', DECLINED);
      await gateway.cancel('p2');
      await charge('p2');
      await unanswered('p3', charge('p3', SILENT_AT_FIRST));
      const before = subject.ledger();
      for (const key of ['p1', 'p2', 'p3', 'p4']) {
        expect(await ended(gateway.refund(`r-${key}`, { key, amount: 1 }))).toBe('no such charge was approved');
      }
      expect(subject.ledger()).toEqual(before);
    });

    // An operator closes a checkout whose charge may still be on its way: it must take nothing when it arrives.
    it('D8: a charge that comes after its cancellation takes nothing, with any card', async () => {
      const ends = await Promise.all(REPEATS.map(() => cancel('p1')));
      expect(ends).toEqual(REPEATS.map(() => 0));
      for (const _ of [1, 2]) expect(await charge('p1')).toEqual({ kind: 'cancelled' });
      await gateway.cancel('p2');
      expect(await charge('p2', SILENT_AT_FIRST)).toEqual({ kind: 'cancelled' });
      await gateway.cancel('p3');
      expect(await charge('p3', DECLINED)).toEqual({ kind: 'cancelled' });
      const closed = { kind: 'cancel', amount: 0, outcome: 'closed' };
      expect(subject.ledger()).toEqual([
        { ...closed, key: 'p1' },
        charged('p1', 'cancelled'),
        { ...closed, key: 'p2' },
        charged('p2', 'cancelled', '0119'),
        { ...closed, key: 'p3' },
        charged('p3', 'cancelled', '0002'),
      ]);
    });

    // The charge was approved and only the answer was lost: the buyer gets all of it back, once.
    it('D8: cancelling an approved charge gives back the rest of it, once; its outcome stays approved', async () => {
      await unanswered('p1', charge('p1', ANSWER_LOST));
      await gateway.refund('r1', { key: 'p1', amount: 250 });
      const ends = await Promise.all(REPEATS.map(() => cancel('p1')));
      expect(ends).toEqual(REPEATS.map(() => 750));
      expect(await charge('p1', ANSWER_LOST)).toEqual({ kind: 'approved' });
      expect(await ended(gateway.refund('r2', { key: 'p1', amount: 1 }))).toBe('only 0 cents are left of the charge');
      await charge('p2');
      await gateway.refund('r3', { key: 'p2', amount: 1000 });
      expect(await cancel('p2')).toBe(0);
      expect(subject.ledger().filter((line) => 'kind' in line && line.kind === 'cancel')).toEqual([
        { kind: 'cancel', key: 'p1', amount: 750, outcome: 'refunded' },
        { kind: 'cancel', key: 'p2', amount: 0, outcome: 'closed' },
      ]);
    });

    // The gateway took nothing for these, so it owes nothing.
    it('D8: cancelling a declined or silent charge gives nothing back', async () => {
      await charge('p1', DECLINED);
      expect(await cancel('p1')).toBe(0);
      expect(await charge('p1', DECLINED)).toMatchObject({ kind: 'declined' });
      await unanswered('p2', charge('p2', SILENT_AT_FIRST));
      expect(await cancel('p2')).toBe(0);
      expect(await charge('p2', SILENT_AT_FIRST)).toEqual({ kind: 'cancelled' });
    });

    // Either the charge or its cancellation comes first; in both cases the gateway keeps no money.
    it('D8: a charge and its cancellation at once leave nothing taken', async () => {
      await Promise.all(
        REPEATS.flatMap((index) => {
          const both = [() => charge(`p${index}`), () => gateway.cancel(`p${index}`)];
          return (index % 2 === 0 ? both : both.toReversed()).map((call) => call());
        }),
      );
      const lines = subject.ledger() as { kind: string; outcome: string; amount: number }[];
      const sum = (kind: string, outcome: string): number =>
        lines
          .filter((line) => line.kind === kind && line.outcome === outcome)
          .reduce((all, { amount }) => all + amount, 0);
      expect(lines).toHaveLength(100);
      expect(sum('charge', 'approved')).toBe(sum('cancel', 'refunded'));
    });

    describe('G11: what was done since a mark', () => {
      /** All of it, with the number of parts in which it came. */
      const since = async (from: LedgerMark): Promise<{ entries: readonly LedgerEntry[]; parts: number }> => {
        const entries: LedgerEntry[] = [];
        for (let [at, parts] = [from, 1]; ; parts += 1) {
          const page = await ledgerOf(gateway).linesAfter(at);
          entries.push(...page.entries);
          if (!page.more) return { entries, parts };
          expect(page.end.size).toBeGreaterThan(at.size);
          at = page.end;
        }
      };

      // An older copy of the log, put back beside this ledger, knows only what was done before.
      it('is listed in order, with the charge that it belongs to, and for this installation only', async () => {
        await charge('before');
        const mark = await subject.mark();
        await charge('p1');
        await subject.chargeForAnother('theirs');
        await charge('p2', DECLINED);
        await gateway.refund('r1', { key: 'p1', amount: 300 });
        await gateway.cancel('p3');
        const expected = [
          { kind: 'charge', key: 'p1', charge: 'p1', amount: 1000 },
          { kind: 'charge', key: 'p2', charge: 'p2', amount: 1000 },
          { kind: 'refund', key: 'r1', charge: 'p1', amount: 300 },
          { kind: 'cancel', key: 'p3', charge: 'p3', amount: 0 },
        ];
        expect(await since(mark)).toEqual({ entries: expected, parts: 1 });
        gateway = await subject.reopen();
        expect(await since(mark)).toEqual({ entries: expected, parts: 1 });
        expect(await since(await subject.mark())).toEqual({ entries: [], parts: 1 });
      });

      it('comes in parts of a bounded size', async () => {
        const mark = await subject.mark();
        const keys = Array.from({ length: 300 }, (_, index) => `p${index}-${'x'.repeat(40)}`);
        for (const key of keys) await charge(key);
        const { entries, parts } = await since(mark);
        expect(entries.map(({ key }) => key)).toEqual(keys);
        expect(parts).toBeGreaterThan(3);
      });

      it('is refused for a mark that the ledger does not have', async () => {
        await charge('p1');
        const mark = await subject.mark();
        for (const other of [
          { ...mark, identity: 'another' },
          { ...mark, size: mark.size + 1 },
          { ...mark, digest: '0'.repeat(64) },
        ]) {
          await expect(ledgerOf(gateway).linesAfter(other)).rejects.toThrow(OtherLedger);
        }
      });
    });
  });
}
