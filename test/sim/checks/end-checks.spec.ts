import { describe, expect, it } from '@jest/globals';
import { act, type MadeUpAnswer } from './made-up-acts.js';
import type { Act, Meaning, Try } from '../workload/history.js';
import { GatewayServer } from '../world/gateway.js';
import { Answers } from './answers.js';
import { checkDeals } from './check-deals.js';
import { checkEffects } from './effects.js';
import { held, madeUpLog, type MadeUp, onSale, sold } from './made-up-log.js';
import { checkMails } from './mails.js';
import { checkSales } from './sales.js';

const CARD = { number: '4242424242424242', month: '12', year: '2045', zip_code: '02114' };

const reserved = (id: string): { readonly status: number; readonly body: object } => ({
  status: 200,
  body: { purchase: { id } },
});
const RESERVE: Meaning = { type: 'reserve', deal: 'spa', quantity: 1 };
const HELD = held('a', { stock: 1, held: 1, sold: 0 });

describe('what clients were told', () => {
  const check =
    (events: readonly MadeUp[], ...acts: Act[]) =>
    (): void =>
      checkEffects(madeUpLog(...events), acts);

  it('is in the log; what was lost is there once or never', () => {
    expect(check([HELD], act(RESERVE, reserved('a')))).not.toThrow();
    expect(check([HELD], act(RESERVE, 'lost'))).not.toThrow();
    expect(check([], act(RESERVE, 'lost'))).not.toThrow();
    expect(check([], act(RESERVE, { status: 422, body: {} }))).not.toThrow();
  });

  it('is violated by an answer without its effect', () => {
    expect(check([], act(RESERVE, reserved('a')))).toThrow('an acknowledged answer is in the log');
  });

  it('is violated by an effect of a refused request, and by one that nobody asked for', () => {
    expect(check([HELD], act(RESERVE, { status: 422, body: {} }))).toThrow(
      'what was refused or never asked has no effect',
    );
    expect(check([HELD])).toThrow('what was refused or never asked has no effect');
  });

  it('is violated by two effects of one key', () => {
    const twice = [HELD, held('b', { stock: 2, held: 2, sold: 0 })];
    const lost = act(RESERVE, 'lost');
    const repeated = { ...lost, tries: [...lost.tries, ...lost.tries] };
    expect(check(twice, repeated)).not.toThrow();
    expect(check(twice, { ...repeated, key: 'k' })).toThrow('what was refused or never asked has no effect');
  });

  it('is violated by a cancelled coupon, a new user or a batch that is not there', () => {
    const done = (meaning: Meaning, body: object): Act => act(meaning, { status: 200, body });
    const acts = [
      done({ type: 'cancel-coupon', coupon: 'c' }, {}),
      done({ type: 'create-user', email: 'e' }, { user_id: 'u' }),
      done({ type: 'create-batch', deal: 'spa' }, { batch: { id: 'b' } }),
      done({ type: 'release', purchase: 'p' }, { purchase: { id: 'p' } }),
    ];
    const left: readonly MadeUp[] = [
      ['coupon-c', 'coupon-cancelled.v1', { coupon_id: 'c' }],
      ['user-u', 'user-registered.v1', { user_id: 'u' }],
      ['batch-b', 'batch-created.v1', { batch_id: 'b' }],
      ['inventory-spa', 'hold-released.v1', { reservation_id: 'p' }],
    ];
    expect(check(left, ...acts)).not.toThrow();
    for (const missing of left)
      expect(
        check(
          left.filter((each) => each !== missing),
          ...acts,
        ),
      ).toThrow('an acknowledged answer is in the log');
  });

  it('is violated by an effect that is there twice', () => {
    expect(check([HELD, HELD], act(RESERVE, reserved('a')))).toThrow('an effect is there once');
  });

  it('is violated by two acts with one effect', () => {
    expect(check([HELD], act(RESERVE, reserved('a')), act(RESERVE, reserved('a')))).toThrow(
      'an effect belongs to one act',
    );
  });
});

describe('answers', () => {
  const answers = (): Answers => new Answers({ log: { events: [] } } as never);
  const checked = (of: Answers, one: Act): void => of.check(one, one.tries.at(-1) as Try);
  const unavailable = act(RESERVE, { status: 503, body: {} });

  it('are never 500, and 503 only with Retry-After while something is broken', () => {
    expect(() => checked(answers(), act(RESERVE, { status: 500, body: {} }))).toThrow('no answer is 500');
    expect(() => checked(answers(), unavailable)).toThrow('503 only while something is broken, with Retry-After');
    const [tried] = unavailable.tries;
    const reply = { kind: 'answer', answer: { status: 503, headers: { 'retry-after': '1' }, text: '' } } as const;
    const told = { ...unavailable, tries: [{ ...(tried as Try), reply }] };
    expect(() => checked(answers(), told)).not.toThrow();
    const calm = answers();
    calm.calm = true;
    expect(() => checked(calm, told)).toThrow('503 only while something is broken, with Retry-After');
  });

  it('find every projection, and no fault with a lasting credential or a well-formed request', () => {
    const told = (status: number, path: string): Act => {
      const one = act(RESERVE, { status, body: {} });
      return { ...one, request: { ...one.request, path } };
    };
    const of =
      (status: number, path = '/x', key = false) =>
      (): void => {
        const one = told(status, path);
        checked(answers(), key ? { ...one, request: { ...one.request, credential: { key: 'k' } } } : one);
      };
    for (const order of ['rebuild', 'generations']) {
      expect(of(404, `/operators/projections/coupons/${order}`)).toThrow('operators find every projection');
      expect(of(404, `/operators/projections/nothing/${order}`)).not.toThrow();
    }
    // A generation may be gone.
    expect(of(404, '/operators/projections/coupons/generations/7')).not.toThrow();
    expect(of(401)).not.toThrow();
    expect(of(401, '/x', true)).toThrow('a valid credential works');
    for (const status of [400, 405, 429]) expect(of(status)).toThrow('every request is well formed');
  });

  it('are the same to the byte under one key, and refused for another request', () => {
    const first = act(RESERVE, reserved('a'), { key: 'k' });
    const kept = answers();
    checked(kept, first);
    const [tried] = act(RESERVE, reserved('b')).tries;
    first.tries.push(tried as Try);
    expect(() => checked(kept, first)).toThrow('a repeat has the same answer');
    const at = (position: string): Try => {
      const answer = { status: 200, headers: { 'holdfast-position': position }, text: '{"purchase":{"id":"a"}}' };
      return { ...(tried as Try), reply: { kind: 'answer', answer } };
    };
    const written = { ...first, key: 'l', tries: [at('0')] };
    checked(kept, written);
    written.tries.push(at('0'));
    expect(() => checked(kept, written)).not.toThrow();
    written.tries.push(at('-1'));
    expect(() => checked(kept, written)).toThrow('a repeat has the same answer');
    expect(() => checked(kept, act(RESERVE, reserved('a'), { key: 'k' }))).toThrow('a key is for one request');
  });

  it('name no position that the log does not have', () => {
    const one = act(RESERVE, reserved('a'));
    const reply = { kind: 'answer', answer: { status: 200, headers: { 'holdfast-position': '7' }, text: '' } } as const;
    const [tried] = one.tries;
    expect(() => checked(answers(), { ...one, tries: [{ ...(tried as Try), reply }] })).toThrow(
      'an acknowledged write is in the log',
    );
  });
});

describe('the units of a deal', () => {
  const too = { status: 422, body: { error_msg: 'not enough units are left: none available' } };
  const events = madeUpLog(...onSale(1), HELD);
  const later = (one: Act): Act => ({ ...one, tries: one.tries.map((tried) => ({ ...tried, sent: 100, ended: 110 })) });

  it('are refused only when there are none', () => {
    const written = [-50_000, -50_000, 5];
    expect(checkDeals(events, written, [act(RESERVE, reserved('a')), later(act(RESERVE, too))])).toEqual({
      decided: 1,
      givenUp: 0,
    });
    const early = { ...act(RESERVE, too), tries: [{ ...(act(RESERVE, too).tries[0] as Try), sent: -40, ended: -30 }] };
    expect(() => checkDeals(events, written, [act(RESERVE, reserved('a')), early])).toThrow(
      'a deal’s units are linearizable: deal spa',
    );
  });

  it('are claimed by any try before the first answer that says so', () => {
    const claimed: Meaning = { type: 'claim', purchase: 'a', user: 'ann' };
    const tried = (sent: number, ended: number, reply: MadeUpAnswer): Act => {
      const one = act(claimed, reply);
      return { ...one, tries: one.tries.map((each) => ({ ...each, sent, ended })) };
    };
    const done = { status: 200, body: { purchase: { id: 'a' } } };
    const claimedInLog = madeUpLog(...onSale(1), HELD, sold('hold-claimed.v1', 'a', { stock: 1, held: 0, sold: 1 }));
    const written = [-50_000, -50_000, 5, 60];
    // Long after the hold: without the claim, its unit would be free.
    const refused = (sent: number, ended: number): Act => {
      const one = act(RESERVE, too);
      const clock = { clockSent: 400_000, clockEnded: 400_000 };
      return { ...one, tries: one.tries.map((each) => ({ ...each, ...clock, sent, ended })) };
    };
    const check =
      (...acts: Act[]) =>
      (): unknown =>
        checkDeals(claimedInLog, written, acts);
    expect(
      check(act(RESERVE, reserved('a')), tried(50, 900, done), tried(80, 90, done), refused(100, 110)),
    ).not.toThrow();
    expect(
      check(act(RESERVE, reserved('a')), tried(50, 70, 'lost'), tried(200, 210, done), refused(100, 110)),
    ).not.toThrow();
    expect(check(act(RESERVE, reserved('a')), tried(200, 210, done), refused(100, 110))).toThrow(
      'a deal’s units are linearizable: deal spa',
    );
  });

  it('may be taken by a request whose answer was lost', () => {
    expect(checkDeals(events, [-50_000, -50_000, 5], [act(RESERVE, 'lost'), later(act(RESERVE, too))]).decided).toBe(1);
  });
});

describe('the money of purchases', () => {
  const gateway = (charge: boolean, refund = 0): GatewayServer => {
    const server = new GatewayServer('ledger');
    if (charge) server.charge('p', { amount: 10, card: CARD });
    if (refund > 0) server.refund('p-1', { key: 'p', amount: refund });
    return server;
  };
  const opened: readonly MadeUp[] = [
    ['inventory-spa', 'checkout-started.v1', { purchase_id: 'p' }],
    ['purchase-p', 'purchase-opened.v1', { purchase_id: 'p', coupons: [{ id: 'p-1' }] }],
  ];
  const charged: readonly MadeUp[] = [
    ...opened,
    ['purchase-p', 'purchase-charged.v1', { purchase_id: 'p', amount: 10 }],
    ['inventory-spa', 'checkout-sold.v1', { purchase_id: 'p' }],
    ['coupon-p-1', 'coupon-issued.v1', { coupon_id: 'p-1' }],
  ];
  const undone: readonly MadeUp[] = [
    ...opened,
    ['purchase-p', 'purchase-declined.v1', { purchase_id: 'p' }],
    ['inventory-spa', 'checkout-undone.v1', { purchase_id: 'p' }],
  ];
  const gone = (refund_by: string): MadeUp => [
    'purchase-p',
    'purchase-coupon-cancelled.v1',
    { purchase_id: 'p', coupon_id: 'p-1', refund_by, refund: 10 },
  ];
  const cancelled: readonly MadeUp[] = [
    ...charged,
    ['coupon-p-1', 'coupon-cancelled.v1', { coupon_id: 'p-1', unit: 0 }],
    ['inventory-spa', 'unit-returned.v1', { coupon_id: 'p-1' }],
    gone('gateway'),
  ];
  const check = (events: readonly MadeUp[], server: GatewayServer) => (): void =>
    checkSales(madeUpLog(...events), server);

  it('agrees with the ledger', () => {
    expect(check(charged, gateway(true))).not.toThrow();
    expect(check(undone, gateway(false))).not.toThrow();
    expect(check(cancelled, gateway(true, 10))).not.toThrow();
  });

  it('is not owed by a partner if our gateway took it', () => {
    expect(check([...cancelled.slice(0, -1), gone('partner')], gateway(true, 10))).toThrow('a partner owes 10 cents');
  });

  it('stays with a gateway that refuses a refund for good, and says so', () => {
    const refused: MadeUp = [
      'purchase-p',
      'purchase-money-refused.v1',
      { purchase_id: 'p', coupon_id: 'p-1', amount: 10 },
    ];
    expect(check([...cancelled, refused], gateway(true))).not.toThrow();
    expect(check([...cancelled, refused], gateway(true, 10))).toThrow('ledger equals log: purchase p');
  });

  it('is violated by a charge without a sale, a sale without a charge, and money that was not given back', () => {
    expect(check(undone, gateway(true))).toThrow('ledger equals log: purchase p');
    expect(check(charged, gateway(false))).toThrow('ledger equals log: purchase p');
    expect(check(cancelled, gateway(true))).toThrow('ledger equals log: purchase p');
    expect(check(charged, gateway(true, 10))).toThrow('ledger equals log: purchase p');
    expect(check([], gateway(true))).toThrow('it was charged and never opened');
  });

  it('takes each step once', () => {
    const refused: MadeUp = ['purchase-p', 'purchase-charge-refused.v1', { purchase_id: 'p' }];
    expect(check([...undone, refused], gateway(false))).not.toThrow();
    expect(check([...undone, refused, refused], gateway(false))).toThrow('a purchase takes each step once');
    const voided: MadeUp = ['purchase-p', 'purchase-voided.v1', { purchase_id: 'p' }];
    const again: MadeUp = ['inventory-spa', 'checkout-undone.v1', { purchase_id: 'p' }];
    expect(check([...undone, voided, again], gateway(false))).toThrow('a purchase takes each step once');
  });

  it('needs every follower, once', () => {
    for (const missing of ['checkout-sold.v1', 'coupon-issued.v1', 'unit-returned.v1', 'purchase-opened.v1']) {
      const rest = cancelled.filter(([, type]) => type !== missing);
      expect(check(rest, gateway(true, 10))).toThrow('every decision has its followers once');
    }
    const twice: MadeUp = ['coupon-p-1', 'coupon-issued.v1', { coupon_id: 'p-1' }];
    expect(check([...charged, twice], gateway(true))).toThrow(
      'every decision has its followers once: issued coupon p-1: 2; expected 1',
    );
    const claim = sold('units-sold.v1', 'q', { stock: 1, held: 0, sold: 1 });
    expect(check([claim], gateway(false))).toThrow('every decision has its followers once');
    for (const end of ['released', 'expired']) {
      const ended: MadeUp = ['inventory-spa', `hold-${end}.v1`, { reservation_id: 'q' }];
      expect(check([ended], gateway(false))).toThrow(`followers once: ${end} reservation q`);
      // The end of a hold changes nothing in a reservation that was claimed meanwhile.
      expect(check([ended, claim], gateway(false))).toThrow('followers once: claimed reservation q');
    }
  });
});

describe('mails', () => {
  const BATCH: MadeUp = ['batch-b', 'batch-created.v1', { batch_id: 'b', user_ids: ['ann'] }];
  const DONE: MadeUp = ['batch-b', 'batch-processed.v1', { batch_id: 'b' }];
  const FAILED: MadeUp = ['batch-b', 'batch-failed.v1', { batch_id: 'b' }];
  const of = { batch_id: 'b', user_id: 'ann' };
  const refused: MadeUp = ['batch-b', 'delivery-failed.v1', { ...of, attempt: 1 }];
  const attempt = (number: number, attempted_at: number): MadeUp => [
    'batch-b',
    'delivery-attempted.v1',
    { ...of, attempt: number, attempted_at },
  ];
  const made: MadeUp = ['batch-b', 'delivery-made.v1', { ...of, attempt: 1 }];
  const update = (what: string, turn: number): MadeUp => [
    'subscriptionMail-s',
    `subscription-mail-${what}.v1`,
    { subscription_id: 's', kind: 'daily-update', turn, attempt: 1, attempted_at: 0 },
  ];
  const check = (events: readonly MadeUp[], received: number) => (): void => {
    const mail = { messageId: '<b.ann@localhost>', to: 'ann@example.com', subject: '', text: '', at: 5 };
    checkMails(
      madeUpLog(...events),
      events.map(() => 1),
      Array.from({ length: received }, () => mail),
    );
  };

  it('arrive once, or twice after an attempt whose outcome nobody knows', () => {
    expect(check([BATCH, attempt(1, 0), made, DONE], 1)).not.toThrow();
    expect(check([BATCH, attempt(1, 0), attempt(2, 180_000), made, DONE], 2)).not.toThrow();
    expect(check([BATCH, attempt(1, 0), refused, FAILED], 0)).not.toThrow();
    expect(check([BATCH, attempt(1, 0), attempt(2, 180_000), made, DONE], 1)).not.toThrow();
  });

  it('of a confirmation that is asked for again are counted on, until there is an outcome', () => {
    const confirmation = (what: string, turn: number, attempt: number, attempted_at = 0): MadeUp => [
      'subscriptionMail-s',
      `subscription-mail-${what}.v1`,
      { subscription_id: 's', kind: 'confirmation', turn, attempt, attempted_at },
    ];
    const first = [confirmation('attempted', 0, 1), confirmation('delayed', 0, 1)];
    const asked: MadeUp = ['subscription-s', 'subscription-status-set.v1', { subscription_id: 's' }];
    const failed = (turn: number, attempt: number): MadeUp => confirmation('failed', turn, attempt);
    const goesOn = [...first, asked, confirmation('attempted', 2, 2), failed(2, 2)];
    expect(check([...goesOn, confirmation('attempted', 3, 1), failed(3, 1)], 0)).not.toThrow();
    expect(check([...first, asked, confirmation('attempted', 2, 1), failed(2, 1)], 0)).toThrow('attempts are counted');
    expect(check([...goesOn, confirmation('attempted', 3, 3), failed(3, 3)], 0)).toThrow('attempts are counted');
  });

  it.each<[string, readonly MadeUp[], number]>([
    ['a mail is sent once', [BATCH, attempt(1, 0), made, DONE], 2],
    ['a sent mail arrives', [BATCH, attempt(1, 0), made, DONE], 0],
    ['one sender at a time', [BATCH, attempt(1, 0), attempt(2, 60_000), made, DONE], 1],
    ['a mail has one outcome', [BATCH, attempt(1, 0), made, attempt(2, 180_000), DONE], 1],
    ['attempts are counted', [BATCH, attempt(2, 0), made, DONE], 1],
    ['every batch ends', [BATCH, attempt(1, 0), made], 1],
    ['every mail is sent or recorded', [BATCH, DONE], 0],
    ['a batch fails if a mail of it has', [BATCH, attempt(1, 0), refused, DONE], 0],
    ['a batch fails if a mail of it has', [BATCH, attempt(1, 0), made, FAILED], 1],
    ['every mail is sent or recorded', [BATCH, attempt(1, 0), DONE], 1],
    ['a mail is taken before it is sent', [], 1],
    // The next day's update does not make up for that.
    ['every mail is sent or recorded', [update('attempted', 0), update('delayed', 0), update('skipped', 1)], 0],
    // A skipped one has no attempt.
    ['a mail is taken before it is sent', [BATCH, ['batch-b', 'delivery-skipped.v1', of], DONE], 1],
  ])('%s', (invariant, events, received) => {
    expect(check(events, received)).toThrow(invariant);
  });
});
