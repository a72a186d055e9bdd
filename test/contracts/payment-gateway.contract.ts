import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayOutcomeUnknown, type ChargeOutcome, type PaymentGateway } from '#purchasing';

/** One gateway with what it has done. */
export interface PaymentGatewaySubject {
  readonly gateway: PaymentGateway;
  /** What it has done, for people: a line each, without times and references. */
  ledger(): readonly object[];
  /** Ends this one, and opens the same gateway as another process would find it. */
  reopen(): Promise<PaymentGateway>;
  /** Ends whatever is open and removes it. */
  dispose(): Promise<void>;
}

/** The cards of the sandbox (ruling D8). */
const GOOD = '4242424242424242';
const DECLINED = '4000000000000002';
const NO_FUNDS = '4000000000009995';
const SILENT_AT_FIRST = '4000000000000119';
const ANSWER_LOST = '4000000000000259';

const REPEATS = Array.from({ length: 50 }, (_, index) => index);

/**
 * What every adapter of the sandbox gateway must do; with a timeout of half a second, so that what gets no answer is known
 * soon.
 */
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
    const charge = async (...asked: Parameters<typeof referred>): Promise<object> => {
      const { reference, ...outcome } = await referred(...asked);
      expect(reference).toEqual(expect.stringMatching(/./));
      return outcome;
    };
    /** How many cents a cancellation gave back. */
    const cancel = async (key: string): Promise<number> => (await gateway.cancel(key)).amount;
    /** How a call ended: its outcome, or the name of its error. */
    const ended = (call: Promise<unknown>): Promise<unknown> =>
      call.catch((error: unknown) => (error instanceof GatewayOutcomeUnknown ? 'unknown' : (error as Error).message));
    const charged = (key: string, outcome: string, last4 = '4242', more: object = {}): object => ({
      kind: 'charge',
      key,
      amount: 1000,
      last4,
      outcome,
      ...more,
    });

    // A checkout repeats its charge after every crash and timeout: taken twice, the buyer pays twice.
    it('D8: 50 repeats of a charge at once take the money once, and all are told so', async () => {
      const outcomes = await Promise.all(REPEATS.map(() => charge('p1')));
      expect(outcomes).toEqual(REPEATS.map(() => ({ kind: 'approved' })));
      expect(await charge('p1')).toEqual({ kind: 'approved' });
      expect(subject.ledger()).toEqual([charged('p1', 'approved')]);
    });

    // A refusal is an outcome as well: a repeat must not find another one, whatever card it comes with.
    it('D8: a declined charge says why, takes nothing, and stays declined', async () => {
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

    // Every card that is not one of the four is good: partners test with their own.
    it('D8: every other card is approved, the sample of the interface too', async () => {
      for (const number of [GOOD, '424242424242424', '378282246310005', '6304000000000000000']) {
        expect(await charge(`p-${number}`, number)).toEqual({ kind: 'approved' });
      }
    });

    // Nobody knows whether this charge was done, and it was not: only the repeat may be taken for an answer.
    it('D8: …0119 answers nothing until the charge is repeated, then approves; per charge', async () => {
      expect(await ended(charge('p1', SILENT_AT_FIRST))).toBe('unknown');
      expect(subject.ledger()).toEqual([charged('p1', 'silent', '0119')]);
      expect(await charge('p1', SILENT_AT_FIRST)).toEqual({ kind: 'approved' });
      expect(await ended(charge('p2', SILENT_AT_FIRST))).toBe('unknown');
      const outcomes = await Promise.all(REPEATS.map(() => charge('p2', SILENT_AT_FIRST)));
      expect(outcomes).toEqual(REPEATS.map(() => ({ kind: 'approved' })));
      expect(subject.ledger()).toEqual([
        charged('p1', 'silent', '0119'),
        charged('p1', 'approved', '0119'),
        charged('p2', 'silent', '0119'),
        charged('p2', 'approved', '0119'),
      ]);
    });

    // The worst case of all: the money is gone, and the buyer's service was not told.
    it('D8: …0259 is charged although its first answer is lost, and once only', async () => {
      expect(await ended(charge('p1', ANSWER_LOST))).toBe('unknown');
      expect(subject.ledger()).toEqual([charged('p1', 'approved', '0259')]);
      expect(await charge('p1', ANSWER_LOST)).toEqual({ kind: 'approved' });
      const rivals = await Promise.all(REPEATS.map(() => ended(charge('p2', ANSWER_LOST))));
      expect(rivals.filter((outcome) => outcome === 'unknown')).toHaveLength(1);
      expect(subject.ledger()).toEqual([charged('p1', 'approved', '0259'), charged('p2', 'approved', '0259')]);
    });

    // What a charge comes to is decided for ever, not for as long as the process lives.
    it('D8: outcomes, first silences and lost answers outlive a restart', async () => {
      await charge('p1');
      await charge('p2', DECLINED);
      await Promise.all([ended(charge('p3', SILENT_AT_FIRST)), ended(charge('p4', ANSWER_LOST))]);
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

    // An auditor finds what an event tells of under this name: one that changed with a repeat would lead nowhere.
    it('D7: each thing done has a reference of its own, which its repeats and a restart do not change', async () => {
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

    // A gateway that knows nothing of a charge takes it again: a service asks first whether this is the one that knows.
    it('names its ledger, by the same name for ever, and by none that another one has', async () => {
      const name = await gateway.ledger();
      expect(name).toMatch(/./);
      await charge('p1');
      expect(await gateway.ledger()).toBe(name);
      gateway = await subject.reopen();
      expect(await gateway.ledger()).toBe(name);
      expect(await charge('p1')).toEqual({ kind: 'approved' });
      const other = await makeSubject();
      expect(await other.gateway.ledger()).not.toBe(name);
      await other.dispose();
    });

    // One key for two purchases is a fault of the caller: an answer to it would be an answer about the other purchase.
    it('D8: a key that comes back with another amount is refused in words', async () => {
      await charge('p1');
      expect(await ended(charge('p1', GOOD, 1001))).toBe('the key was used for another amount');
      expect(subject.ledger()).toEqual([charged('p1', 'approved')]);
    });

    // More given back than taken is a loss; a refund done twice is one, too.
    it('D8: refunds give back at most what was charged, each once', async () => {
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

    // A hundred refunds of one charge at once: the sum counts, not each by itself.
    it('D8: rivals for the rest of a charge never get more than there is', async () => {
      await charge('p1');
      const ends = await Promise.all(
        REPEATS.map((index) => ended(gateway.refund(`r${index}`, { key: 'p1', amount: 300 }))),
      );
      expect(ends.filter((end) => typeof end === 'object')).toHaveLength(3);
      expect(subject.ledger()).toHaveLength(4);
    });

    // Nothing was taken: giving back would be a gift.
    it('D8: nothing is given back of a charge that was declined, cancelled, silent or never made', async () => {
      await charge('p1', DECLINED);
      await gateway.cancel('p2');
      await charge('p2');
      await ended(charge('p3', SILENT_AT_FIRST));
      const before = subject.ledger();
      for (const key of ['p1', 'p2', 'p3', 'p4']) {
        expect(await ended(gateway.refund(`r-${key}`, { key, amount: 1 }))).toBe('no such charge was approved');
      }
      expect(subject.ledger()).toEqual(before);
    });

    // An operator closes a checkout whose charge may still be on its way: it must take nothing when it arrives.
    it('D8: a charge that comes after its cancellation takes nothing, whatever the card', async () => {
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

    // It had been charged, and only the answer was lost: then the buyer gets all of it back, once.
    it('D8: cancelling an approved charge gives back what is left of it, once; what it was stays what it was', async () => {
      await ended(charge('p1', ANSWER_LOST));
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

    // Nothing was taken of these, so nothing is owed.
    it('D8: cancelling a declined charge, or one that has said nothing yet, gives nothing back', async () => {
      await charge('p1', DECLINED);
      expect(await cancel('p1')).toBe(0);
      expect(await charge('p1', DECLINED)).toMatchObject({ kind: 'declined' });
      await ended(charge('p2', SILENT_AT_FIRST));
      expect(await cancel('p2')).toBe(0);
      expect(await charge('p2', SILENT_AT_FIRST)).toEqual({ kind: 'cancelled' });
    });

    // Of a charge and its cancellation at the same moment one comes first; in both cases no money is kept.
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
  });
}
