import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signedPart, type MailLinkKind } from '#engagement/module';
import type { Keyring } from '#eventsourcing';
import { keyringOf } from '../support/keyring-of.js';
import { signedLink } from '../support/mail-link.js';
import { unableToFind } from '../support/refusals.js';
import { RunningService, type Answer, type AskOptions, type TestPartner } from '../support/running-service.js';

const NO_LINK = unableToFind('this link does not work: copy the whole address from the mail');
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8' };
const titleOf = ({ text }: Answer): string | undefined => /<h1>(.*)<\/h1>/.exec(text)?.[1];

describe('links in mails', () => {
  let service: RunningService;
  let acme: TestPartner;
  let keyring: Keyring;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    keyring = await keyringOf(service);
    const place = { name: '<b>Boston</b>', time_zone: 'America/New_York', latitude: 42.36, longitude: -71.06 };
    await service.operate('PUT', '/regions/boston', { ...place, radius: 20 });
  });
  afterAll(() => service.discard());

  let users = 0;
  const newUser = (): Promise<string> => service.newUser(acme.key, `user-${(users += 1)}@example.org`);
  const subscribed = async (user?: string): Promise<string> => {
    const path = `/users/${user ?? (await newUser())}/subscriptions`;
    return (await service.ask('POST', path, { key: acme.key, body: { zip: '02114' } })).body.subscription.id;
  };
  const shown = async (id: string): Promise<readonly [status: string, confirmed: boolean]> => {
    const { status, confirmed } = (await service.ask('GET', `/subscriptions/${id}`, { key: acme.key })).body
      .subscription;
    return [status, confirmed];
  };
  const pathOf = async (kind: MailLinkKind, id: string): Promise<string> =>
    `/m/${kind === 'confirmation' ? 'confirm' : 'unsubscribe'}/${await signedLink(service, acme, kind, id)}`;
  const open = async (method: string, kind: MailLinkKind, id: string, options: AskOptions = {}): Promise<Answer> =>
    service.ask(method, await pathOf(kind, id), { headers: BROWSER, ...options });

  it('E5, I14: a GET of a confirmation link asks with one button, as programs open every link; a POST confirms', async () => {
    const id = await subscribed();
    for (let times = 0; times < 2; times += 1) {
      const asked = await open('GET', 'confirmation', id);
      expect([asked.status, titleOf(asked)]).toEqual([200, 'Confirm your subscription']);
      expect(asked.text.match(/<form method="post"><button type="submit">Confirm<\/button><\/form>/g)).toHaveLength(1);
      expect(asked.headers['holdfast-position']).toBeUndefined();
      expect(await shown(id)).toEqual(['active', false]);
    }
    const confirmed = await open('POST', 'confirmation', id);
    expect([confirmed.status, titleOf(confirmed)]).toEqual([200, 'Your subscription is confirmed']);
    expect(confirmed.headers['holdfast-position']).toMatch(/^\d+$/);
    expect(await shown(id)).toEqual(['active', true]);
    for (const method of ['GET', 'POST']) {
      const again = await open(method, 'confirmation', id);
      expect([again.status, again.text, again.headers['holdfast-position']]).toEqual([200, confirmed.text, undefined]);
    }
  });

  it('E5: a link confirms for the address that it was mailed to, until the user changes theirs', async () => {
    const user = await newUser();
    const id = await subscribed(user);
    const path = await pathOf('confirmation', id);
    const move = (email: string): Promise<Answer> =>
      service.ask('PUT', `/users/${user}`, { key: acme.key, body: { email } });
    await move(`moved-${user}@example.org`);
    for (const method of ['GET', 'POST']) {
      const page = await service.ask(method, path, { headers: BROWSER });
      expect([page.status, titleOf(page)]).toEqual([404, 'This link is for another e-mail address']);
    }
    const json = await service.ask('GET', path, { headers: { accept: 'application/json' } });
    expect([json.status, json.text]).toEqual([
      404,
      unableToFind('this link is for another e-mail address: subscribe again'),
    ]);
    expect(await shown(id)).toEqual(['active', false]);
    expect((await open('POST', 'end-of-subscription', id)).status).toBe(200);
  });

  it('E5: a HEAD changes nothing', async () => {
    const id = await subscribed();
    expect((await open('HEAD', 'confirmation', id)).status).toBe(200);
    expect((await open('HEAD', 'end-of-subscription', id)).status).toBe(200);
    expect(await shown(id)).toEqual(['active', false]);
  });

  it('E5: confirming what has ended does not begin it again', async () => {
    const id = await subscribed();
    await open('POST', 'end-of-subscription', id);
    for (const [method, confirmed] of [
      ['GET', false],
      ['POST', true],
    ] as const) {
      expect(titleOf(await open(method, 'confirmation', id))).toBe('This subscription has ended');
      expect(await shown(id)).toEqual(['inactive', confirmed]);
    }
  });

  it('E5, H3: a GET of an unsubscribe link asks with one button, as programs open every link; a POST unsubscribes', async () => {
    const id = await subscribed();
    const asked = await open('GET', 'end-of-subscription', id);
    expect([asked.status, titleOf(asked)]).toEqual([200, 'Unsubscribe']);
    expect(asked.text.match(/<form method="post"><button type="submit">Unsubscribe<\/button><\/form>/g)).toHaveLength(
      1,
    );
    expect(await shown(id)).toEqual(['active', false]);
    const ended = await open('POST', 'end-of-subscription', id);
    expect([ended.status, titleOf(ended)]).toEqual([200, 'You have unsubscribed']);
    expect(await shown(id)).toEqual(['inactive', false]);
    for (const method of ['GET', 'POST']) {
      const again = await open(method, 'end-of-subscription', id);
      expect([again.status, again.text, again.headers['holdfast-position']]).toEqual([200, ended.text, undefined]);
    }
  });

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'parts',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
    ['nothing', 'text/plain', ''],
    ['something else', 'application/json', '{'],
  ])('H3: the POST of a mail program (RFC 8058) unsubscribes, with %s as its body', async (_, type, body) => {
    const id = await subscribed();
    const answer = await open('POST', 'end-of-subscription', id, { body, headers: { 'content-type': type } });
    expect([answer.status, titleOf(answer)]).toEqual([200, 'You have unsubscribed']);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect((await shown(id))[0]).toBe('inactive');
  });

  it('H3: the link of a batch mail ends the batch mails of its user, and no subscription', async () => {
    const user = await newUser();
    const id = await subscribed(user);
    expect(titleOf(await open('GET', 'end-of-batch-mails', user))).toBe('Unsubscribe');
    const ended = await open('POST', 'end-of-batch-mails', user);
    expect([ended.status, titleOf(ended)]).toEqual([200, 'You have unsubscribed']);
    expect(ended.headers['holdfast-position']).toMatch(/^\d+$/);
    expect((await open('POST', 'end-of-batch-mails', user)).headers['holdfast-position']).toBeUndefined();
    expect(titleOf(await open('GET', 'end-of-batch-mails', user))).toBe('You have unsubscribed');
    expect((await shown(id))[0]).toBe('active');
    expect(titleOf(await open('GET', 'end-of-batch-mails', await newUser()))).toBe('Unsubscribe');
  });

  it('E1, H3: a deleted user still unsubscribes', async () => {
    const user = await newUser();
    const id = await subscribed(user);
    const hide = (is_deleted: boolean): Promise<Answer> =>
      service.ask('PUT', `/users/${user}`, { key: acme.key, body: { is_deleted } });
    await hide(true);
    expect((await open('POST', 'end-of-subscription', id)).status).toBe(200);
    expect((await open('POST', 'end-of-batch-mails', user)).status).toBe(200);
    await hide(false);
    expect((await shown(id))[0]).toBe('inactive');
  });

  it('3.6, H3: whoever unsubscribed is active again when they subscribe again, and still confirmed', async () => {
    const user = await newUser();
    const id = await subscribed(user);
    await open('POST', 'confirmation', id);
    await open('POST', 'end-of-subscription', id);
    expect(await subscribed(user)).toBe(id);
    expect(await shown(id)).toEqual(['active', true]);
  });

  it('A5: a wrong signature, the link of another page and one about nothing get the same answer, as a page or as JSON', async () => {
    const id = await subscribed();
    const sign = (kind: MailLinkKind, of = id): string =>
      signedPart(keyring, { kind, id: of, address: kind === 'confirmation' ? 'e'.repeat(32) : null });
    const wrong = [
      `/m/confirm/${sign('end-of-subscription')}`,
      `/m/unsubscribe/${sign('confirmation')}`,
      `/m/unsubscribe/${sign('end-of-batch-mails')}`,
      `/m/confirm/${sign('confirmation', '0'.repeat(32))}`,
      `/m/unsubscribe/${sign('end-of-subscription').slice(0, -1)}`,
      `/m/unsubscribe/${sign('end-of-subscription')}0`,
      '/m/unsubscribe/x',
      `/m/confirm/${'x'.repeat(4000)}`,
      '/m/confirm/%2e%2e%2f',
    ];
    for (const path of wrong) {
      for (const method of ['GET', 'POST']) {
        const page = await service.ask(method, path, { headers: BROWSER });
        expect([path, page.status, titleOf(page)]).toEqual([path, 404, 'This link does not work']);
        const json = await service.ask(method, path, { headers: { accept: 'application/json' } });
        expect([path, json.status, json.text]).toEqual([path, 404, NO_LINK]);
      }
    }
    expect(await shown(id)).toEqual(['active', false]);
  });

  it('H3, I14: a page runs and loads nothing, sends its form only here, is not stored or listed, and passes its address to nobody', async () => {
    const id = await subscribed();
    const pages = [
      await open('GET', 'end-of-subscription', id),
      await open('POST', 'end-of-subscription', id),
      await open('GET', 'confirmation', await subscribed()),
      await service.ask('GET', '/m/confirm/x', { headers: BROWSER }),
    ];
    for (const { headers, text } of pages) {
      const style = /<style>(.*)<\/style>/s.exec(text)?.[1] ?? '';
      const hash = createHash('sha256').update(style).digest('base64');
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
      });
      expect(text).not.toMatch(/<script|<img|\ssrc=|@import|\son\w+=|\sstyle=|<b>/);
    }
    expect(pages[0]?.text).toContain('&#60;b&#62;Boston&#60;/b&#62;');
    expect(service.printed).not.toContain(await signedLink(service, acme, 'confirmation', id));
  });

  it('A1: the links answer on every prefix', async () => {
    const user = await newUser();
    const id = await subscribed(user);
    const path = await pathOf('confirmation', id);
    for (const prefix of ['', '/v1', '/api/v1'])
      expect((await service.ask('POST', `${prefix}${path}`)).status).toBe(200);
    expect(await shown(id)).toEqual(['active', true]);
  });
});
