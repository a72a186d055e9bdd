import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, utcTime } from '#kernel';
import { at, timeOf } from '../support/buying.js';
import { parsed, type ParsedMail } from '../support/parsed-mail.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';
import { workDone } from '../support/work-done.js';

const BATCHES = '/v1/targeted_email/batches';

describe('the mails of a batch', () => {
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    for (const slug of ['spa', 'paused']) await service.newDeal(slug, { end_at: at(Date.now() + 30 * DAY) });
  });
  afterAll(() => service.discard());

  let users = 0;
  const newUser = (first_name: string): Promise<string> =>
    service.newUser(acme.key, `${first_name}-${(users += 1)}@example.org`, { first_name });
  /** Tomorrow at noon, by the service's clock. */
  const noon = async (): Promise<number> => (Math.floor((await timeOf(service)) / DAY) + 1) * DAY + DAY / 2;
  const create = async (user_ids: readonly string[], deal_id = 'spa'): Promise<string> => {
    const body = { deal_id, user_ids, mode: 'augment', send_at: utcTime(await noon()) };
    const answer = await service.ask('POST', BATCHES, { key: acme.key, body });
    expect(answer.status).toBe(201);
    return answer.body.batch.id;
  };
  const ask = (method: 'GET' | 'DELETE', id: string, deal_id = 'spa'): Promise<Answer> =>
    service.ask(method, `${BATCHES}/${id}?deal_id=${deal_id}`, { key: acme.key });
  const statusOf = async (id: string, deal_id = 'spa'): Promise<Json> =>
    (await ask('GET', id, deal_id)).body.batch.status;
  const send = async (): Promise<void> => {
    await service.operate('PUT', '/clock', { now: at(await noon()) });
    await workDone(service);
  };
  /** The mails to a user, of all batches. */
  const mailsTo = (userId: string): readonly ParsedMail[] => {
    const outbox = join(service.dataDir, 'outbox');
    const files = existsSync(outbox) ? readdirSync(outbox).filter((name) => name.includes(userId)) : [];
    return files.map((name) => parsed(readFileSync(join(outbox, name))));
  };
  const textOf = ({ parts }: ParsedMail): string =>
    parts.find(({ type }) => type.startsWith('text/plain'))?.content ?? '';

  it('3.5.3, F4, 3.5: are sent once at send_at, and the batch is processed', async () => {
    const [ann, bob] = [await newUser('ann'), await newUser('bob')];
    const id = await create([ann, bob]);
    await workDone(service);
    expect([await statusOf(id), mailsTo(ann).length]).toEqual(['pending', 0]);
    await send();
    expect(await statusOf(id)).toBe('processed');
    const [mail, ...more] = mailsTo(ann);
    if (mail === undefined) throw new Error('there is no mail');
    expect([more.length, mailsTo(bob).length]).toEqual([0, 1]);
    expect(mail.headers['to']).toEqual(['ann-1@example.org']);
    expect(mail.headers['message-id']).toEqual([`<${id}.${ann}@127.0.0.1>`]);
    expect(mail.headers['list-unsubscribe-post']).toEqual(['List-Unsubscribe=One-Click']);
    expect(textOf(mail)).toContain('Deal spa');
    expect(textOf(mail)).toContain(`${service.url}/deals/spa`);
  });

  it('7.4.4, F4, 7.4: end the time in which the batch can be cancelled', async () => {
    const id = await create([await newUser('eve')]);
    await send();
    const answer = await ask('DELETE', id);
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      [
        {
          type: 'invalid',
          message: 'is already processed, cannot be cancelled',
          field: 'batch_id',
          resource: 'batch',
        },
      ],
    ]);
    const both = await ask('DELETE', id, 'none');
    expect(both.body.errors.map(({ field }: Json) => field)).toEqual(['deal_id', 'batch_id']);
    expect(await statusOf(id)).toBe('processed');
  });

  it('H4: link only to what answers 200: the page of the deal, its picture and the page that ends the mails', async () => {
    const user = await newUser('kim');
    await service.newDeal('seen', { end_at: at(Date.now() + 60 * DAY), image: '/images/rowing.svg' });
    await create([user], 'seen');
    await send();
    const [mail] = mailsTo(user);
    const html = mail?.parts.find(({ type }) => type.startsWith('text/html'))?.content ?? '';
    const links = [...html.matchAll(/(?:href|src)="(http[^"]+)"/g)].map(([, link]) =>
      (link ?? '').replaceAll('&amp;', '&'),
    );
    expect(links).toEqual([
      `${service.url}/deals/seen`,
      `${service.url}/images/rowing.svg?size=large`,
      `${service.url}/deals/seen`,
      expect.stringContaining('/m/unsubscribe/'),
    ]);
    for (const link of links) {
      expect(link.startsWith(service.url)).toBe(true);
      const { status } = await service.ask('GET', link.slice(service.url.length), {
        headers: { accept: 'text/html,image/*' },
      });
      expect([link, status]).toEqual([link, 200]);
    }
  });

  it('F3: are not sent of a cancelled batch', async () => {
    const user = await newUser('zoe');
    const id = await create([user]);
    expect((await ask('DELETE', id)).status).toBe(200);
    await send();
    expect([await statusOf(id), mailsTo(user).length]).toEqual(['cancelled', 0]);
  });

  it('H3: go neither to users who have unsubscribed nor to hidden ones, which is no failure', async () => {
    const [ann, bob, eve] = [await newUser('ann'), await newUser('bob'), await newUser('eve')];
    await create([ann]);
    await send();
    const [link] = mailsTo(ann)[0]?.headers['list-unsubscribe'] ?? [];
    const path = new URL((link ?? '').replace(/[<>]/g, '')).pathname;
    expect((await service.ask('POST', path)).status).toBe(200);
    const id = await create([ann, bob, eve]);
    await service.ask('PUT', `/users/${bob}`, { key: acme.key, body: { is_deleted: true } });
    await send();
    expect(await statusOf(id)).toBe('processed');
    expect([mailsTo(ann).length, mailsTo(bob).length, mailsTo(eve).length]).toEqual([1, 0, 1]);
  });

  it('H3: go to nobody when the deal is not on sale any more', async () => {
    const user = await newUser('sam');
    const id = await create([user], 'paused');
    await service.operate('POST', '/deals/paused/transitions', { to: 'paused' });
    await send();
    expect([await statusOf(id, 'paused'), mailsTo(user).length]).toEqual(['processed', 0]);
  });

  it('I10: go to nobody while the partner is suspended, and go out again afterwards', async () => {
    const user = await newUser('ida');
    const [id, later] = [await create([user]), await newUser('jon')];
    await service.operate('PUT', `/partners/${acme.id}`, { suspended: true });
    await send();
    expect((await ask('GET', id)).status).toBe(403);
    await service.operate('PUT', `/partners/${acme.id}`, { suspended: false });
    await workDone(service);
    expect([await statusOf(id), mailsTo(user).length]).toEqual(['processed', 0]);
    await create([later]);
    await send();
    expect(mailsTo(later).length).toBe(1);
  });

  it('H4: lead to the partner’s storefront', async () => {
    await service.operate('PUT', `/partners/${acme.id}`, { storefront_url: 'https://deals.example/buy/{deal_id}' });
    const user = await newUser('kim');
    await create([user]);
    await send();
    const text = mailsTo(user).map(textOf).join();
    expect(text).toContain('https://deals.example/buy/spa');
    expect(text).not.toContain(`${service.url}/deals/spa`);
  });
});
