import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MINUTE } from '#kernel';
import { Unavailable, type CommandLoop, type MovableClock, type Time } from '#eventsourcing';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { Mailer, type Mail, type MailOutcome } from '../mail/index.js';
import { mailing } from '../model.js';
import { batchDeliveries } from './batch-deliveries.work.js';
import { BatchDelivery, type Recipients } from './batch-delivery.js';
import { batch } from './batch.decider.js';
import type { SkipReason } from './batch.events.js';
import { heldUpAfter } from '../../../test/support/held-up-loop.js';
import { HELD_UP, TAKEOVER } from '../tries.rules.js';
import type { BatchState } from './batch.state.js';
import { engineOf } from '../../../test/support/engine-of.js';

const DAY = 24 * 60 * MINUTE;

/** A mailbox of everybody, which takes a moment for each mail. */
class MadeUpMailer extends Mailer {
  readonly taken: string[] = [];
  /** The most mails that were under way at a time. */
  most = 0;
  #underWay = 0;
  /** What it says of the next mails to an address, before it takes them. */
  readonly says = new Map<string, MailOutcome[]>();
  /** Called with each mail, before its outcome. */
  onMail = (_: number): void | Promise<void> => undefined;

  override async send({ to, messageId }: Mail): Promise<MailOutcome> {
    this.most = Math.max(this.most, (this.#underWay += 1));
    await sleep(Math.random() * 3);
    this.#underWay -= 1;
    const said = this.says.get(to)?.shift() ?? { kind: 'sent' };
    if (said.kind === 'sent') this.taken.push(`${to} ${messageId}`);
    await this.onMail(this.taken.length);
    return said;
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

const skips = new Map<string, SkipReason>();
/** The guard of the log refuses the streams of these users. */
const refused = new Set<string>();
const recipients: Recipients = {
  async find({ batch_id }, userId) {
    if (refused.has(userId)) throw new Unavailable('the event log needs an operator', 10, `user-${userId}`);
    const mail = { messageId: `<${batch_id}.${userId}@test>`, to: userId, subject: 's', html: 'h', text: 't' };
    return skips.get(userId) ?? { ...mail, unsubscribe: null };
  },
};

describe('F4: the delivery of a batch', () => {
  let opened: PeopleEngine;
  let mailer: MadeUpMailer;
  let clock: MovableClock;
  /** What the log gets about refused streams. */
  let told: { readonly streams: readonly string[]; readonly count: number }[];

  beforeEach(async () => {
    opened = await openPeopleEngine([mailing]);
    ({ clock } = opened.engine);
    mailer = new MadeUpMailer();
    skips.clear();
    refused.clear();
    told = [];
  });
  afterEach(() => opened.close());

  const usersOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `u${index}`);
  const create = async (count: number): Promise<void> => {
    const data = { batch_id: 'a', partner_id: 'acme', deal_id: 'spa', mode: 'augment', send_at: clock.now() } as const;
    const command = { type: 'create', batch: { ...data, user_ids: usersOf(count), created_at: 0 } } as const;
    await opened.engine.loop.execute(batch, 'a', command, opened.context());
  };
  /** A sender; with a loop, the one of another process. */
  const sender = (loop: CommandLoop = opened.engine.loop, time: Time = opened.engine.time): BatchDelivery =>
    new BatchDelivery(engineOf({ ...opened.engine, loop }).writer, clock, time, mailer, recipients, (streams, count) =>
      told.push({ streams, count }),
    );
  const run = (by: BatchDelivery = sender()): Promise<void> => by.work.run('a', { due_at: 0 });
  const state = async (): Promise<BatchState> => {
    const known = await opened.engine.loop.readNow(batch, 'a');
    if (known === null) throw new Error('there is no batch');
    return known;
  };
  const taken = (count: number): readonly string[] => usersOf(count).map((id) => `${id} <a.${id}@test>`);

  it('sends each recipient one mail, a few at a time', async () => {
    await create(200);
    await run();
    expect(mailer.taken.toSorted()).toEqual(taken(200).toSorted());
    expect([mailer.most > 1, mailer.most <= 10]).toEqual([true, true]);
    const { row, sent, failed, skipped } = await state();
    expect([row.status, sent, failed, skipped]).toEqual(['processed', 200, 0, 0]);
    await run();
    expect(mailer.taken).toHaveLength(200);
    expect(sender().work.list).toBe(batchDeliveries);
  });

  it('is shared by two senders of two processes, and nobody gets two mails', async () => {
    await create(200);
    const others = [opened.otherLoop([]), opened.otherLoop([])];
    await Promise.all([run(), ...others.map((loop) => run(sender(loop)))]);
    expect(mailer.taken.toSorted()).toEqual(taken(200).toSorted());
    expect((await state()).row.status).toBe('processed');
    await Promise.all(others.map((loop) => loop.close()));
  });

  it('goes on where a dead sender stopped; only the mails under way are sent again, under their Message-IDs', async () => {
    await create(60);
    const dead = opened.otherLoop([]);
    const gone = new Promise<void>((resolve) => {
      mailer.onMail = async (count) => {
        if (count < 20) return;
        resolve();
        // It is killed: no outcome is noted any more.
        await new Promise(() => undefined);
      };
    });
    void run(sender(dead));
    await gone;
    await sleep(50);
    mailer.onMail = () => undefined;
    const before = [...mailer.taken];
    await run();
    const { row, pausedUntil } = await state();
    const missing = taken(60).filter((each) => !mailer.taken.includes(each));
    expect([row.status, pausedUntil, new Set(mailer.taken).size]).toEqual([
      'pending',
      expect.any(Number),
      mailer.taken.length,
    ]);
    expect(missing).toEqual([]);
    clock.follow(TAKEOVER);
    await run();
    expect((await state()).row.status).toBe('processed');
    const twice = mailer.taken.filter((each, index) => mailer.taken.indexOf(each) !== index);
    expect(new Set(mailer.taken).size).toBe(60);
    expect([twice.length > 0, twice.length <= 10]).toEqual([true, true]);
    expect(before).toEqual(expect.arrayContaining(twice));
  });

  // Its attempt may be too old by then: another sender may have taken it for dead.
  it('leaves a mail to the next sender if it was held up between taking and handing it over', async () => {
    await create(1);
    const { loop } = opened.engine;
    await run(sender(heldUpAfter(loop, 'attempt', () => clock.follow(clock.ahead + HELD_UP + 1))));
    expect([mailer.taken, (await state()).row.status]).toEqual([[], 'pending']);
    await run();
    expect(mailer.taken).toEqual([]);
    clock.follow(clock.ahead + TAKEOVER);
    await run();
    expect(mailer.taken).toEqual(taken(1));
    expect((await state()).row.status).toBe('processed');
  });

  it('H3: leaves out whom it must not write to, which is no failure', async () => {
    await create(4);
    skips.set('u0', 'unsubscribed').set('u2', 'hidden');
    await run();
    const { row, sent, skipped } = await state();
    expect([row.status, sent, skipped, mailer.taken.length]).toEqual(['processed', 2, 2, 2]);
  });

  it('tries delayed mails again, refused ones and those that may have arrived not', async () => {
    await create(4);
    const delayed: MailOutcome = { kind: 'delayed', reason: 'greylisted' };
    mailer.says.set('u1', [delayed, delayed]);
    mailer.says.set('u2', [{ kind: 'refused', reason: 'no such mailbox' }]);
    mailer.says.set('u3', [{ kind: 'unknown', reason: 'cut' }]);
    for (const [wait, sent] of [
      [0, 1],
      [MINUTE, 1],
      [5 * MINUTE - 1_000, 1],
      [2_000, 2],
    ] as const) {
      clock.follow(clock.ahead + wait);
      await run();
      expect((await state()).sent).toBe(sent);
    }
    const { row, failed } = await state();
    expect([row.status, failed, mailer.taken.length]).toEqual(['failed', 2, 2]);
  });

  it('gives up a mail after six tries', async () => {
    await create(1);
    mailer.says.set('u0', Array<MailOutcome>(9).fill({ kind: 'delayed', reason: 'busy' }));
    let runs = 0;
    while ((await state()).row.status === 'pending') {
      await run();
      runs += 1;
      clock.follow(clock.ahead + DAY);
    }
    expect([runs, (await state()).row.status, mailer.says.get('u0')?.length]).toEqual([6, 'failed', 3]);
  });

  it('stops soon when the service stops, and notes no outcome that the stop itself has caused', async () => {
    await create(100);
    const stopped = sender();
    mailer.says.set('u5', [{ kind: 'unknown', reason: 'the connection was closed' }]);
    mailer.onMail = () => stopped.stop();
    await run(stopped);
    expect(mailer.taken.length).toBeLessThan(15);
    const { failed, pausedUntil } = await state();
    expect([failed, pausedUntil]).toEqual([0, null]);
    clock.follow(TAKEOVER);
    mailer.onMail = () => undefined;
    await run();
    expect([(await state()).row.status, new Set(mailer.taken).size]).toEqual(['processed', 100]);
  });

  it('ends its turn after a while, so that other batches get theirs, and goes on in the next one', async () => {
    await create(100);
    let now = 0;
    const { time } = opened.engine;
    const slow: Time = Object.assign(Object.create(time) as Time, { monotonic: () => now });
    mailer.onMail = (count) => void (now = count * 1_000);
    await expect(run(sender(undefined, slow))).rejects.toThrow('have their turn soon');
    expect([mailer.taken.length >= 20, mailer.taken.length <= 30]).toEqual([true, true]);
    expect((await state()).pausedUntil).toBeNull();
    await run();
    expect([(await state()).row.status, mailer.taken.length]).toEqual(['processed', 100]);
  });

  // Ten such recipients once stopped the batch: each of them ended one of its ten senders.
  it('leaves recipients whose streams are refused for a later run, and sends all other mails', async () => {
    await create(40);
    for (const id of usersOf(12)) refused.add(id);
    await expect(run()).rejects.toThrow(
      /^mails wait for streams that are refused: (user-u\d+, ){9}user-u\d+ and 2 more$/,
    );
    expect(mailer.taken.toSorted()).toEqual(taken(40).slice(12).toSorted());
    expect(told).toEqual([{ streams: expect.any(Array), count: 12 }]);
    const streams = told[0]?.streams ?? [];
    expect(new Set(streams).size).toBe(10);
    expect(usersOf(12).map((id) => `user-${id}`)).toEqual(expect.arrayContaining([...streams]));
    refused.clear();
    await run();
    expect([(await state()).row.status, new Set(mailer.taken).size, mailer.taken.length]).toEqual([
      'processed',
      40,
      40,
    ]);
    expect(told).toHaveLength(1);
  });

  it('is broken off while the log is away, and goes on later', async () => {
    await create(30);
    const other = opened.otherLoop([]);
    mailer.onMail = (count) => (count === 5 ? other.close() : undefined);
    await expect(run(sender(other))).rejects.toThrow('stopping');
    clock.follow(TAKEOVER);
    await run();
    expect([(await state()).row.status, new Set(mailer.taken).size]).toEqual(['processed', 30]);
  });
});
