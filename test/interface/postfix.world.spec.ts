import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, utcTime } from '#kernel';
import { at, timeOf } from '../support/buying.js';
import { Authority, hasOpenssl } from '../support/certificates.js';
import { checkDkim } from '../support/dkim.js';
import { parsed } from '../support/parsed-mail.js';
import { Postfix, POSTFIX } from '../support/postfix.js';
import { RunningService, type Json, type TestPartner } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';
import { workDone } from '../support/work-done.js';

const runs = POSTFIX !== undefined && hasOpenssl;
if (!runs)
  process.stderr.write(
    'Postfix or openssl is missing, or this user is not root: the test of a real mail server (F4, H3) DID NOT RUN.\n',
  );

(runs ? describe : describe.skip)(`F4, H3: mails through a real server (${POSTFIX})`, () => {
  const folder = tempFolder();
  const dkim = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  let postfix: Postfix;
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    const authority = new Authority(folder.path);
    const ca = join(folder.path, 'ca.pem');
    postfix = await Postfix.start(authority.issue('mail', 'RSA'), ['ann', 'bob']);
    const key = join(folder.path, 'dkim.pem');
    writeFileSync(key, dkim.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    service = await RunningService.start({
      env: {
        SMTP_URL: `smtp://127.0.0.1:${postfix.port}?tlsCAFile=${encodeURIComponent(ca)}`,
        MAIL_FROM: 'Deals & Co <deals@shop.test>',
        DKIM_DOMAIN: 'shop.test',
        DKIM_SELECTOR: 'deals',
        DKIM_KEY: key,
      },
    });
    acme = await service.newPartner('acme');
    await service.newDeal('spa', { end_at: at(Date.now() + 30 * DAY), title: 'Zwei Stunden im Spa – 50 % für dich' });
  });
  afterAll(async () => {
    await service.discard();
    await postfix.stop();
    folder.remove();
  });

  /** Sends a batch to users with these names, and returns it when it has ended. */
  const send = async (...names: readonly string[]): Promise<Json> => {
    const user_ids: string[] = [];
    for (const name of names)
      user_ids.push(await service.newUser(acme.key, `${name}@example.test`, { first_name: name }));
    const noon = (Math.floor((await timeOf(service)) / DAY) + 1) * DAY + DAY / 2;
    const body = { deal_id: 'spa', user_ids, mode: 'augment', send_at: utcTime(noon) };
    const { batch } = (await service.ask('POST', '/v1/targeted_email/batches', { key: acme.key, body })).body;
    await service.operate('PUT', '/clock', { now: at(noon) });
    for (;;) {
      await workDone(service);
      const path = `/v1/targeted_email/batches/${batch.id}?deal_id=spa`;
      const { body: shown } = await service.ask('GET', path, { key: acme.key });
      if (shown.batch.status !== 'pending') return shown.batch;
      await pause(50);
    }
  };
  const delivered = async (user: string): Promise<Buffer> => {
    for (let waited = 0; waited < 240_000; waited += 50) {
      const [mail] = postfix.mailsOf(user);
      if (mail !== undefined) return mail;
      await pause(50);
    }
    throw new Error(`no mail for ${user}: ${postfix.printed}`);
  };

  it('arrive over TLS, whole, signed and with their unsubscribe headers', async () => {
    expect(await send('ann')).toMatchObject({ status: 'processed' });
    // A mailbox has lines with \n alone; a signature is of lines with \r\n.
    const raw = Buffer.from((await delivered('ann')).toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
    const { headers, parts } = parsed(raw);
    expect(headers).toMatchObject({
      from: ['"Deals & Co" <deals@shop.test>'],
      to: ['ann@example.test'],
      subject: ['Zwei Stunden im Spa – 50 % für dich'],
      'return-path': ['<deals@shop.test>'],
      'list-unsubscribe-post': ['List-Unsubscribe=One-Click'],
      'list-unsubscribe': [expect.stringMatching(/^<http.+\/m\/unsubscribe\/.+>$/)],
    });
    expect(headers['received']?.[0]).toMatch(/using TLSv1\.[23]/);
    expect(parts.map(({ type }) => type.split(';')[0])).toEqual(['text/plain', 'text/html']);
    for (const { content } of parts) expect(content).toContain('Zwei Stunden im Spa – 50 % für dich');
    const checked = checkDkim(raw, dkim.publicKey);
    expect(checked).toMatchObject({ valid: true, domain: 'shop.test', selector: 'deals' });
    expect(checked.signed).toEqual(expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post']));
  });

  it('fail if the server knows no such mailbox; the others of the batch arrive once', async () => {
    expect(await send('bob', 'nobody')).toMatchObject({ status: 'failed' });
    await delivered('bob');
    expect(postfix.printed).toMatch(/reject: RCPT .*550 5\.1\.1 <nobody@example\.test>/);
    expect([postfix.mailsOf('bob').length, postfix.mailsOf('nobody').length]).toEqual([1, 0]);
  });
});
