import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandLoop, MovableClock } from '#eventsourcing';
import { subscription } from '#engagement/model';
import { DAY, MINUTE } from '#kernel';
import { newProfile } from '#people';
import { user } from '#people/model';
import { heldUpAfter } from '../../../test/support/held-up-loop.js';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { engagement } from '../../engagement/model.js';
import { partners } from '../../partners/model.js';
import { partner } from '../../partners/partner/partner.decider.js';
import { createUser } from '../../people/user/create-user.js';
import { Mailer, type Mail, type MailOutcome } from '../mail/index.js';
import { mailing } from '../model.js';
import { SubscriptionMailDelivery, type MakeMail } from './subscription-mail-delivery.js';
import { HELD_UP, TAKEOVER } from '../tries.rules.js';
import { subscriptionMail, type LastMail } from './subscription-mail.decider.js';
import type { SubscriptionMailSkip } from './subscription-mail.events.js';
import { engineOf } from '../../../test/support/engine-of.js';

/** Takes a moment for each mail. */
class MadeUpMailer extends Mailer {
  readonly taken: string[] = [];
  /** What it says of the next mails; `sent` after these. */
  readonly says: MailOutcome[] = [];
  /** Called after a mail was taken. */
  onTaken = (): void | Promise<void> => undefined;

  override async send({ messageId }: Mail): Promise<MailOutcome> {
    await sleep(Math.random() * 3);
    const said = this.says.shift() ?? { kind: 'sent' };
    if (said.kind === 'sent' || said.kind === 'unknown') this.taken.push(messageId);
    await this.onTaken();
    return said;
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

const DAILY = { kind: 'daily-update', turn: 20_000 } as const;

describe('E5, F4, F5: the delivery of a subscription’s mails', () => {
  let opened: PeopleEngine;
  let clock: MovableClock;
  let mailer: MadeUpMailer;
  let made: Mail | SubscriptionMailSkip | undefined;
  let ids: readonly string[];
  let userIds: readonly string[];

  const make: MakeMail = async ({ row, profile }, turn) =>
    made ?? {
      messageId: `${turn}.${row.subscription_id}`,
      to: profile.email,
      subject: 's',
      html: 'h',
      text: 't',
      unsubscribe: null,
    };

  beforeEach(async () => {
    opened = await openPeopleEngine([engagement, partners, mailing]);
    ({ clock } = opened.engine);
    mailer = new MadeUpMailer();
    made = undefined;
    const { engine, context } = opened;
    const subscribe = async (index: number): Promise<readonly [id: string, userId: string]> => {
      const profile = newProfile({ email: `user-${index}@example.org` }, 0);
      const { row: userId } = await createUser(engine, 'acme', profile, null, context());
      const subscription_id = `s${index}`;
      const data = { subscription_id, user_id: userId, partner_id: 'acme', region_id: 'boston', details: '' };
      const subscribes = { type: 'subscribe', subscription: data, now: { address: 'home' } } as const;
      await engine.loop.execute(subscription, subscription_id, subscribes, context());
      return [subscription_id, userId];
    };
    const all = await Promise.all(Array.from({ length: 30 }, (_, index) => subscribe(index)));
    ids = all.map(([id]) => id);
    userIds = all.map(([, userId]) => userId);
  });
  afterEach(() => opened.close());

  /** A sender; with a loop, the one of another process. */
  const sender = (loop: CommandLoop = opened.engine.loop): SubscriptionMailDelivery => {
    const { personalData } = opened.engine;
    const makers = { confirmation: make, 'daily-update': make };
    const { writer } = engineOf({ ...opened.engine, loop });
    return new SubscriptionMailDelivery(writer, clock, personalData, mailer, makers);
  };
  const sendAll = async (by = sender()): Promise<void> => {
    await Promise.all(ids.map((id) => by.deliver({ subscription_id: id, ...DAILY }, opened.context())));
  };
  const lastOf = async (id = 's0'): Promise<LastMail | undefined> =>
    (await opened.engine.loop.readNow(subscriptionMail, id))['daily-update'];
  const everyone = (): readonly string[] => ids.map((id) => `20000.${id}`).toSorted();

  it('sends each mail once, also with senders of three processes at once', async () => {
    const others = [opened.otherLoop([]), opened.otherLoop([])];
    await Promise.all([sendAll(), ...others.map((loop) => sendAll(sender(loop)))]);
    expect(mailer.taken.toSorted()).toEqual(everyone());
    await sendAll();
    expect(mailer.taken).toHaveLength(ids.length);
    expect(await lastOf()).toMatchObject({ dueAt: Infinity });
    await Promise.all(others.map((loop) => loop.close()));
  });

  it('goes on where a dead sender stopped; only the mails under way are sent again, under their Message-IDs', async () => {
    const dead = opened.otherLoop([]);
    // It is killed when it has handed over ten mails: no outcome is noted any more.
    mailer.onTaken = async () => {
      if (mailer.taken.length >= 10) await new Promise(() => undefined);
    };
    void sendAll(sender(dead));
    while (mailer.taken.length < 10) await sleep(5);
    await sleep(100);
    mailer.onTaken = () => undefined;
    await sendAll();
    clock.follow(TAKEOVER);
    await sendAll();
    expect([...new Set(mailer.taken)].toSorted()).toEqual(everyone());
    for (const id of ids) expect(await lastOf(id)).toMatchObject({ dueAt: Infinity });
    await sendAll();
    const twice = mailer.taken.length - ids.length;
    expect([twice > 0, twice <= ids.length]).toEqual([true, true]);
  });

  // Its attempt may be too old by then: another sender may have taken it for dead.
  it('leaves a mail to the next sender if it was held up between taking and handing it over', async () => {
    const { loop } = opened.engine;
    const deliver = (by = sender()): Promise<void> => by.deliver({ subscription_id: 's0', ...DAILY }, opened.context());
    await deliver(sender(heldUpAfter(loop, 'attempt', () => clock.follow(clock.ahead + HELD_UP + 1))));
    expect([mailer.taken, await lastOf()]).toEqual([[], expect.objectContaining({ isUnderWay: true })]);
    await deliver();
    expect(mailer.taken).toEqual([]);
    clock.follow(clock.ahead + TAKEOVER);
    await deliver();
    expect(mailer.taken).toEqual(['20000.s0']);
  });

  it('tries a delayed mail again at its time, and no other day’s', async () => {
    mailer.says.push({ kind: 'delayed', reason: 'greylisted' });
    const deliver = (): Promise<void> => sender().deliver({ subscription_id: 's0', ...DAILY }, opened.context());
    await deliver();
    await deliver();
    expect([mailer.taken, await lastOf()]).toEqual([[], expect.objectContaining({ attempt: 1, isUnderWay: false })]);
    clock.follow(MINUTE);
    await deliver();
    expect(mailer.taken).toEqual(['20000.s0']);
    await sender().deliver({ subscription_id: 's0', ...DAILY, turn: 19_999 }, opened.context());
    expect(mailer.taken).toEqual(['20000.s0']);
    await sender().deliver({ subscription_id: 's0', ...DAILY, turn: 20_001 }, opened.context());
    expect(mailer.taken).toEqual(['20000.s0', '20001.s0']);
  });

  it('mails no second confirmation while another sender has the first, and the next one a day later', async () => {
    const other = opened.otherLoop([]);
    const confirm = (turn: number, by = sender()): Promise<void> =>
      by.deliver({ subscription_id: 's0', kind: 'confirmation', turn }, opened.context());
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    mailer.onTaken = () => answered;
    const first = confirm(0, sender(other));
    while (mailer.taken.length === 0) await sleep(5);
    // The subscription ends and begins again, or is asked for again, and other senders see it.
    for (const turn of [2, 4]) await confirm(turn);
    expect(mailer.taken).toEqual(['0.s0']);
    answer();
    await first;
    await confirm(4);
    expect(mailer.taken).toEqual(['0.s0']);
    clock.follow(DAY);
    await confirm(4);
    expect(mailer.taken).toEqual(['0.s0', '4.s0']);
    await other.close();
  });

  it('F5: does not repeat a daily update that may have arrived', async () => {
    mailer.says.push({ kind: 'unknown', reason: 'cut off' });
    for (let n = 0; n < 2; n += 1) {
      await sender().deliver({ subscription_id: 's0', ...DAILY }, opened.context());
      clock.follow(TAKEOVER);
    }
    expect([mailer.taken, (await lastOf())?.dueAt]).toEqual([['20000.s0'], Infinity]);
  });

  it('E5: an update for an address that was not confirmed asks for that once, and makers see no confirmation', async () => {
    const { loop, log } = opened.engine;
    const seen: boolean[] = [];
    const noticing: MakeMail = async (reader, turn) => {
      seen.push(reader.row.confirmed);
      return reader.row.confirmed ? make(reader, turn) : 'ended';
    };
    const { writer, personalData } = opened.engine;
    const makers = { confirmation: make, 'daily-update': noticing };
    const by = new SubscriptionMailDelivery(writer, clock, personalData, mailer, makers);
    const deliver = (turn: number): Promise<void> =>
      by.deliver({ subscription_id: 's0', kind: 'daily-update', turn }, opened.context());
    const confirm = async (address: string): Promise<unknown> =>
      loop.execute(subscription, 's0', { type: 'confirm', address }, opened.context());
    const home = (await loop.read(user, userIds[0] ?? ''))?.address ?? '';
    await confirm(home);
    await deliver(1);
    await confirm('another');
    await deliver(2);
    await deliver(3);
    await confirm(home);
    await deliver(4);
    expect(seen).toEqual([true, false, false, true]);
    expect((await log.readStream('subscription-s0', 0, 10)).map(({ type }) => type)).toEqual([
      'subscription-created.v1',
      'subscription-confirmed.v1',
      'subscription-confirmed.v1',
      'subscription-confirmation-asked.v1',
      'subscription-confirmed.v1',
    ]);
    expect(mailer.taken).toEqual(['1.s0', '4.s0']);
  });

  it('leaves out ended subscriptions, hidden users and whatever the mail says, and notes why', async () => {
    const { loop } = opened.engine;
    await loop.execute(subscription, 's0', { type: 'set-status', status: 'inactive' }, opened.context());
    await sender().deliver({ subscription_id: 's0', ...DAILY }, opened.context());
    made = 'suppressed';
    await sender().deliver({ subscription_id: 's1', ...DAILY }, opened.context());
    made = undefined;
    const { log } = opened.engine;
    const reasons = await Promise.all(
      ['s0', 's1'].map(async (id) => (await log.readStream(`subscriptionMail-${id}`, 0, 10)).map(({ data }) => data)),
    );
    expect(reasons).toEqual([
      [{ subscription_id: 's0', ...DAILY, reason: 'ended' }],
      [{ subscription_id: 's1', ...DAILY, reason: 'suppressed' }],
    ]);
    expect([mailer.taken, userIds.length]).toEqual([[], ids.length]);
  });

  it('I10: leaves out the mails of a suspended partner, and notes why', async () => {
    const { loop, log } = opened.engine;
    const enrol = { type: 'enrol', partner_id: 'acme', name: 'Acme', slug: 'acme' } as const;
    await loop.execute(partner, 'acme', enrol, opened.context());
    await loop.execute(partner, 'acme', { type: 'change', partner_id: 'acme', suspended: true }, opened.context());
    const both = [DAILY, { kind: 'confirmation', turn: 0 }] as const;
    for (const mail of both) await sender().deliver({ subscription_id: 's0', ...mail }, opened.context());
    const noted = await log.readStream('subscriptionMail-s0', 0, 10);
    expect(noted.map(({ data }) => data)).toEqual(
      both.map((mail) => ({ subscription_id: 's0', ...mail, reason: 'suspended' })),
    );
    expect(mailer.taken).toEqual([]);
  });

  it('begins nothing once it stops', async () => {
    const stopped = sender();
    stopped.stop();
    await sendAll(stopped);
    expect([mailer.taken, await lastOf()]).toEqual([[], undefined]);
  });
});
