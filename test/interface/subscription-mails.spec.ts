import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, MINUTE, utcTime } from '#kernel';
import { moveTo, timeOf } from '../support/buying.js';
import { mailsOf, readersOf, untilMails } from '../support/outbox.js';
import type { ParsedMail } from '../support/parsed-mail.js';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';
import { workDone } from '../support/work-done.js';

const NOON = 12 * 60 * MINUTE;
const PUBLIC_URL = 'https://deals.example';
const ENV = { DAILY_UPDATE_AT: '12:00', PUBLIC_URL };

describe('E5, F5, H3: the mails of subscriptions', () => {
  let service: RunningService;
  let acme: TestPartner;
  /** Midnight of the first day. */
  let day: number;

  beforeAll(async () => {
    service = await RunningService.start({ env: ENV });
    // Early enough that the update of the first day is still to come.
    day = (Math.floor((await timeOf(service)) / DAY) + 1) * DAY;
    await moveTo(service, day + MINUTE);
    acme = await service.newPartner('acme');
    for (const [slug, name, latitude, longitude] of [
      ['boston', 'Boston', 42.36, -71.06],
      ['new-york', 'New York', 40.75, -73.99],
    ] as const) {
      const place = { name, time_zone: 'America/New_York', latitude, longitude, radius: 20 };
      await service.operate('PUT', `/regions/${slug}`, place);
    }
    const end_at = utcTime(day + 30 * DAY);
    await service.newDeal('spa', { region_id: 'boston', title: 'A day at the spa', end_at, type: 'on-going' });
    await service.newDeal('old', { region_id: 'boston', title: 'Cancelled cake', end_at, type: 'on-going' });
    await service.operate('POST', '/deals/old/transitions', { to: 'cancelled' });
  });
  afterAll(() => service.discard());

  let users = 0;
  const newUser = (name = `user-${(users += 1)}`): Promise<string> =>
    service.newUser(acme.key, `${name}@example.org`, { first_name: 'Zoë' });
  const subscribe = async (user: string, zip = '02114'): Promise<string> => {
    const answer = await service.ask('POST', `/users/${user}/subscriptions`, { key: acme.key, body: { zip } });
    return answer.body.subscription.id;
  };
  const shown = async (id: string): Promise<readonly [status: string, confirmed: boolean]> => {
    const { status, confirmed } = (await service.ask('GET', `/subscriptions/${id}`, { key: acme.key })).body
      .subscription;
    return [status, confirmed];
  };
  const set = (id: string, status: string): Promise<Answer> =>
    service.ask('PUT', `/subscriptions/${id}`, { key: acme.key, body: { status } });
  const linkIn = (mail: ParsedMail | undefined, page: string): string => {
    const text = mail?.parts.find(({ type }) => type.startsWith('text/plain'))?.content ?? '';
    return new RegExp(`${PUBLIC_URL}(/m/${page}/\\S+)`).exec(text)?.[1] ?? `no link to ${page} in: ${text}`;
  };
  const confirmationOf = async (id: string, turn = 0): Promise<ParsedMail | undefined> => {
    const beginning = `confirmation.${turn}.${id}`;
    return [...(await untilMails(service, 1, beginning)).values()][0];
  };
  const confirmed = async (user: string): Promise<string> => {
    const id = await subscribe(user);
    await service.ask('POST', linkIn(await confirmationOf(id), 'confirm'));
    expect(await shown(id)).toEqual(['active', true]);
    return id;
  };
  const dailyOf = (instant: number): string => `daily.${utcTime(instant).slice(0, 10)}.`;

  it('E5, I14: a new subscription is confirmed by the button behind the link in its mail', async () => {
    const id = await subscribe(await newUser('zoe'));
    const mail = await confirmationOf(id);
    expect(mail?.headers).toMatchObject({ to: ['zoe@example.org'], subject: [expect.stringContaining('Boston')] });
    expect(mail?.headers['list-unsubscribe']).toBeUndefined();
    expect(mail?.parts.map(({ content }) => content.includes('Zoë'))).toEqual([true, true]);
    expect(await shown(id)).toEqual(['active', false]);
    const link = linkIn(mail, 'confirm');
    expect((await service.ask('GET', link)).status).toBe(200);
    expect(await shown(id)).toEqual(['active', false]);
    expect((await service.ask('POST', link)).status).toBe(200);
    expect(await shown(id)).toEqual(['active', true]);
  });

  it('E5: there is one mail, and another one, a day later, only if the subscription is asked for again unconfirmed', async () => {
    const user = await newUser();
    const id = await subscribe(user);
    await confirmationOf(id);
    await subscribe(user);
    await workDone(service);
    expect(mailsOf(service, 'confirmation.').size).toBe(2);
    await set(id, 'inactive');
    await subscribe(user);
    await service.forward(DAY / 1_000);
    day += DAY;
    const nextDay = await timeOf(service);
    const again = await confirmationOf(id, 3);
    expect(Date.parse(again?.headers['date']?.[0] ?? '')).toBeGreaterThan(nextDay - MINUTE);
    await service.ask('POST', linkIn(again, 'confirm'));
    await set(id, 'inactive');
    await set(id, 'active');
    await workDone(service);
    expect(mailsOf(service, 'confirmation.').size).toBe(3);
    await set(id, 'inactive');
  });

  it('F5, H3: at its time of day, every active and confirmed subscription of a region with deals gets one digest', async () => {
    const [ann, bob, eve, mia, ned] = [
      await newUser('ann'),
      await newUser('bob'),
      await newUser('eve'),
      await newUser('mia'),
      await newUser('ned'),
    ];
    const annId = await confirmed(ann);
    await confirmed(bob);
    const eveId = await confirmed(eve);
    await set(eveId, 'inactive');
    // Not confirmed; and of a region without deals.
    await subscribe(mia);
    const nedId = await subscribe(ned, '10001');
    await service.ask('POST', linkIn(await confirmationOf(nedId), 'confirm'));
    await moveTo(service, day + NOON - 10 * MINUTE);
    await workDone(service);
    expect(mailsOf(service, 'daily.').size).toBe(0);
    await moveTo(service, day + NOON);
    const mails = await untilMails(service, 3, dailyOf(day));
    await workDone(service);
    expect(readersOf(mailsOf(service, 'daily.'))).toEqual(['ann', 'bob', 'zoe'].map((name) => `${name}@example.org`));
    const mail = [...mails].find(([name]) => name.includes(annId))?.[1];
    const unsubscribe = linkIn(mail, 'unsubscribe');
    expect(mail?.headers).toMatchObject({
      subject: ['1 deal in Boston today: A day at the spa'],
      'list-unsubscribe': [`<${PUBLIC_URL}${unsubscribe}>`],
      'list-unsubscribe-post': ['List-Unsubscribe=One-Click'],
    });
    for (const { content } of mail?.parts ?? []) {
      expect(content).toContain('A day at the spa');
      expect(content).toContain(`${PUBLIC_URL}/deals/spa`);
      expect(content).not.toContain('Cancelled cake');
    }
    expect((await service.ask('POST', unsubscribe)).status).toBe(200);
    expect(await shown(annId)).toEqual(['inactive', true]);
  });

  it('F5: users of a suppress batch of the day get none, and those of an augment batch do', async () => {
    const tomorrow = day + DAY;
    const [sue, gus, cat] = [await newUser('sue'), await newUser('gus'), await newUser('cat')];
    for (const user of [sue, gus, cat]) await confirmed(user);
    const batch = (mode: string, user: string): Promise<Answer> =>
      service.ask('POST', '/v1/targeted_email/batches', {
        key: acme.key,
        body: { deal_id: 'spa', user_ids: [user], mode, send_at: utcTime(tomorrow + 20 * 60 * MINUTE) },
      });
    expect((await batch('suppress', sue)).status).toBe(201);
    expect((await batch('augment', gus)).status).toBe(201);
    const { batch: cancelled } = (await batch('suppress', cat)).body;
    const path = `/v1/targeted_email/batches/${cancelled.id}?deal_id=spa`;
    expect((await service.ask('DELETE', path, { key: acme.key })).status).toBe(200);
    await moveTo(service, tomorrow + NOON);
    await untilMails(service, 4, dailyOf(tomorrow));
    await workDone(service);
    const readers = readersOf(mailsOf(service, dailyOf(tomorrow)));
    expect(readers).toEqual(['bob', 'cat', 'gus', 'zoe'].map((name) => `${name}@example.org`));
  });

  it('E5, F5: a user who has another address confirms it first: the update of that day asks for it, and an old link does not', async () => {
    const user = await newUser('mo');
    const id = await subscribe(user);
    const old = linkIn(await confirmationOf(id), 'confirm');
    await service.ask('POST', old);
    expect(await shown(id)).toEqual(['active', true]);
    await service.ask('PUT', `/users/${user}`, { key: acme.key, body: { email: 'new-mo@example.org' } });
    expect(await shown(id)).toEqual(['active', false]);
    const page = await service.ask('POST', old, { headers: { accept: 'text/html' } });
    expect([page.status, /<h1>(.*)<\/h1>/.exec(page.text)?.[1]]).toEqual([
      404,
      'This link is for another e-mail address',
    ]);
    expect(await shown(id)).toEqual(['active', false]);
    day += DAY;
    await moveTo(service, day + DAY + NOON);
    await untilMails(service, 5, dailyOf(day + DAY));
    await workDone(service);
    expect(readersOf(mailsOf(service, dailyOf(day + DAY)))).not.toContain('new-mo@example.org');
    // There is at most one confirmation a day.
    await moveTo(service, day + DAY + NOON + 60 * MINUTE);
    const mail = await confirmationOf(id, 2);
    expect(mail?.headers['to']).toEqual(['new-mo@example.org']);
    await service.ask('POST', linkIn(mail, 'confirm'));
    expect(await shown(id)).toEqual(['active', true]);
    await set(id, 'inactive');
  });

  it('F5: a restart sends no day again, and what was missed goes out on the same day', async () => {
    const before = mailsOf(service, 'daily.').size;
    const { dataDir } = service;
    await service.stop();
    service = await RunningService.start({ dataDir, env: ENV });
    await workDone(service);
    expect(mailsOf(service, 'daily.').size).toBe(before);
    await service.stop();
    // Nobody works when the update is due.
    service = await RunningService.start({ dataDir, env: { ...ENV, TIMERS: 'false' } });
    const third = day + 2 * DAY;
    await moveTo(service, third + NOON + 60 * MINUTE);
    expect(mailsOf(service, 'daily.').size).toBe(before);
    await service.stop();
    service = await RunningService.start({ dataDir, env: ENV });
    await untilMails(service, 5, dailyOf(third));
    await workDone(service);
    expect(mailsOf(service, 'daily.').size).toBe(before + 5);
  });

  it('F5: without DAILY_UPDATE_AT nothing goes out', async () => {
    const before = mailsOf(service, 'daily.').size;
    const { dataDir } = service;
    await service.stop();
    service = await RunningService.start({ dataDir, env: { PUBLIC_URL } });
    await moveTo(service, day + 4 * DAY);
    await workDone(service);
    expect(mailsOf(service, 'daily.').size).toBe(before);
  });
});
