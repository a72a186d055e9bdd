import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DAY, MINUTE, SECOND } from '#kernel';
import { eventsOf } from '../support/data-folder.js';
import { signedLink } from '../support/mail-link.js';
import { MailServer } from '../support/mail-server.js';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';
import { workDone } from '../support/work-done.js';

const PUBLIC_URL = 'https://deals.example';
const ZIP = { zip: '02114' };

describe('E5, 4.12.3: the confirmation of a subscription, asked for again', () => {
  let server: MailServer;
  let service: RunningService;
  let acme: TestPartner;
  let key: string;
  let users = 0;
  let email: string;
  let user: string;

  beforeAll(async () => {
    server = await MailServer.start();
    const SMTP_URL = `smtp://127.0.0.1:${server.port}?tls=false`;
    service = await RunningService.start({ env: { SMTP_URL, MAIL_FROM: 'deals@example.com', PUBLIC_URL } });
    acme = await service.newPartner('acme');
    ({ key } = acme);
    const place = { name: 'Boston', time_zone: 'America/New_York', latitude: 42.36, longitude: -71.06, radius: 20 };
    await service.operate('PUT', '/regions/boston', place);
  });
  afterAll(async () => {
    await service.discard();
    await server.stop();
  });

  beforeEach(async () => {
    email = `user-${(users += 1)}@example.org`;
    user = await service.newUser(key, email);
  });
  afterEach(() => {
    server.behaviour.rcpt = undefined;
  });

  const subscribe = (headers = {}): Promise<Answer> =>
    service.ask('POST', `/users/${user}/subscriptions`, { key, body: ZIP, headers });
  const set = (id: string, status: string): Promise<Answer> =>
    service.ask('PUT', `/subscriptions/${id}`, { key, body: { status } });
  const change = (body: object): Promise<Answer> => service.ask('PUT', `/users/${user}`, { key, body });
  const mailsTo = (address = email): number => server.taken.filter(({ to }) => to === address).length;
  /** Moves time on, and has everything done that is due then. */
  const after = async (milliseconds: number): Promise<void> => {
    await service.forward(milliseconds / SECOND);
    await done();
  };
  /** Waits until every mail that is due was tried, and no sender has one. */
  const done = async (): Promise<void> => {
    for (;;) {
      await workDone(service);
      const ofMails = (await eventsOf(service.dataDir)).filter(({ stream }) => stream.startsWith('subscriptionMail-'));
      const last = new Map(ofMails.map(({ stream, type }) => [stream, type]));
      if (![...last.values()].includes('subscription-mail-attempted.v1')) return;
      await pause(20);
    }
  };

  /** Waits until a subscription's mail has this event. */
  const noted = async (id: string, wanted: string): Promise<void> => {
    const has = async (): Promise<boolean> =>
      (await eventsOf(service.dataDir)).some(
        ({ stream, type }) => stream === `subscriptionMail-${id}` && type === wanted,
      );
    while (!(await has())) await pause(20);
  };

  it('comes at once when the server had refused the address, and the user has another one', async () => {
    server.behaviour.rcpt = { code: 550, words: 'no such mailbox' };
    const first = await subscribe();
    await done();
    server.behaviour.rcpt = undefined;
    const better = `better-${email}`;
    expect((await change({ email: better })).status).toBe(200);
    await done();
    expect([mailsTo(), mailsTo(better)]).toEqual([0, 0]);
    expect((await subscribe()).text).toBe(first.text);
    await done();
    expect([mailsTo(), mailsTo(better)]).toEqual([0, 1]);
  });

  it('comes when it was left out because the user was deleted for a while', async () => {
    server.behaviour.rcpt = { code: 450, words: 'come back later' };
    const { id } = (await subscribe()).body.subscription;
    await noted(id, 'subscription-mail-delayed.v1');
    server.behaviour.rcpt = undefined;
    await change({ is_deleted: true });
    await after(5 * MINUTE);
    await noted(id, 'subscription-mail-skipped.v1');
    await change({ is_deleted: false });
    await done();
    expect(mailsTo()).toBe(0);
    await subscribe();
    await done();
    expect(mailsTo()).toBe(1);
  });

  it('is one mail, however often it is asked for while it waits', async () => {
    server.behaviour.rcpt = { code: 450, words: 'come back later' };
    await subscribe();
    await done();
    server.behaviour.rcpt = undefined;
    for (let times = 0; times < 3; times += 1) await subscribe();
    await done();
    expect(mailsTo()).toBe(0);
    await after(MINUTE);
    expect(mailsTo()).toBe(1);
    await after(2 * DAY);
    expect(mailsTo()).toBe(1);
  });

  it('comes once a day at most', async () => {
    const { id } = (await subscribe()).body.subscription;
    await done();
    for (let times = 0; times < 3; times += 1) await subscribe();
    await after(DAY - MINUTE);
    expect(mailsTo()).toBe(1);
    await after(MINUTE);
    expect(mailsTo()).toBe(2);
    await after(2 * DAY);
    expect(mailsTo()).toBe(2);
    await subscribe();
    await done();
    expect(mailsTo()).toBe(3);
    expect((await service.ask('GET', `/subscriptions/${id}`, { key })).body.subscription.confirmed).toBe(false);
  });

  it('waits as long for its next try if the subscription ends and begins again meanwhile', async () => {
    server.behaviour.rcpt = { code: 450, words: 'come back later' };
    const { id } = (await subscribe()).body.subscription;
    await done();
    server.behaviour.rcpt = undefined;
    await set(id, 'inactive');
    await set(id, 'active');
    await done();
    expect(mailsTo()).toBe(0);
    await after(MINUTE);
    expect(mailsTo()).toBe(1);
  });

  it('A11: is not asked for twice under one Idempotency-Key', async () => {
    await subscribe();
    const again = { 'idempotency-key': `again-${user}` };
    const [first, second] = [await subscribe(again), await subscribe(again)];
    expect([second.text, second.headers['holdfast-position']]).toEqual([
      first.text,
      first.headers['holdfast-position'],
    ]);
    expect(first.headers['holdfast-position']).toBeDefined();
  });

  it('never comes once the subscription is confirmed', async () => {
    const { id } = (await subscribe()).body.subscription;
    await done();
    const link = `/m/confirm/${await signedLink(service, acme, 'confirmation', id)}`;
    expect((await service.ask('POST', link)).status).toBe(200);
    const again = await subscribe();
    expect([again.body.subscription.confirmed, again.headers['holdfast-position']]).toEqual([true, undefined]);
    await after(2 * DAY);
    expect(mailsTo()).toBe(1);
  });
});
