import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, utcTime } from '#kernel';
import { MAIL_WAITS } from '#kernel/bounds';
import { at, timeOf } from '../support/buying.js';
import { MailServer } from '../support/mail-server.js';
import { RunningService } from '../support/running-service.js';

describe('F4: a mail server that takes a mail and falls silent', () => {
  let mailServer: MailServer;
  let service: RunningService;

  beforeAll(async () => {
    mailServer = await MailServer.start();
    service = await RunningService.start({
      ownProcess: true,
      env: { SMTP_URL: `smtp://127.0.0.1:${mailServer.port}?tls=false`, MAIL_FROM: 'deals@shop.test' },
    });
  });
  afterAll(async () => {
    await service.discard();
    await mailServer.stop();
  });

  it('hinders neither calls nor the end of the service', async () => {
    const acme = await service.newPartner('acme');
    await service.newDeal('spa', { end_at: at(Date.now() + 30 * DAY) });
    const user = await service.newUser(acme.key, 'ann@example.test');
    const noon = (Math.floor((await timeOf(service)) / DAY) + 1) * DAY + DAY / 2;
    const body = { deal_id: 'spa', user_ids: [user], mode: 'augment', send_at: utcTime(noon) };
    expect((await service.ask('POST', '/v1/targeted_email/batches', { key: acme.key, body })).status).toBe(201);
    mailServer.behaviour.data = 'silent';
    await service.operate('PUT', '/clock', { now: at(noon) });
    while (mailServer.seen.mails === 0) await pause(20);
    expect((await service.ask('GET', '/v1/deals', { key: acme.key })).status).toBe(200);
    await service.stop();
    const [, seconds] = /"seconds":([\d.]+),"msg":"stopped"/.exec(service.printed) ?? [];
    expect(Number(seconds)).toBeGreaterThan(0);
    // For the server's next word it would wait longer.
    expect(Number(seconds)).toBeLessThan(MAIL_WAITS.reply / 1_000);
    expect(service.printed).not.toContain('the stop took longer');
  });
});
