import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buy, reserve } from '../../support/buying.js';
import { buyFull, cardOf, GOOD_CARD, LOST_ANSWER_CARD, SILENT_CARD } from '../../support/cards.js';
import { describeOnEmbedded } from '../../support/on-embedded.js';
import {
  discardLeftovers,
  type Json,
  newDataDir,
  RunningService,
  type TestPartner,
} from '../../support/running-service.js';

const ROUNDS = 3;
/** How often a round buys with a card, at least. */
const TURNS = 4;

/** Read anew: somebody may have said stop meanwhile. */
const isOver = ({ now }: { readonly now: boolean }): boolean => now;

describeOnEmbedded('G7.10: a verification finds nothing in a log that the service has written', () => {
  const dataDir = newDataDir();
  let service: RunningService;
  let acme: TestPartner;
  let user: string;
  let turns = 0;

  const start = async (): Promise<void> => {
    service = await RunningService.start({ dataDir, env: { SELF_AUDIT: 'at-once', GATEWAY_TIMEOUT: '200' } });
  };
  /** What a verification answers with: its findings, and its end. */
  const verified = async (): Promise<Json> => {
    const { text } = await service.ask('GET', '/auditors/verification', { token: service.auditorToken });
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line): Json => JSON.parse(line));
    return { found: lines.flatMap(({ finding }) => finding ?? []), end: lines.at(-1)?.end };
  };
  /** Buys, reserves, gives back and redeems until somebody says stop, or the service ends. */
  const shop = async (stop: { now: boolean }, movesTheClock: boolean): Promise<void> => {
    for (let count = 0; !stop.now; count += 1) {
      try {
        const [{ coupons }] = await Promise.all([
          buy(service, acme.key, 'lunch', user, 2),
          reserve(service, acme.key, 'lunch'),
          reserve(service, acme.key, 'supper'),
        ]);
        await service.ask('PUT', `/coupons/${coupons[0].id}/redeem`, { key: acme.key, body: { user_id: user } });
        await service.operate('POST', `/coupons/${coupons[1].id}/cancel`, { reason: 'a spec' });
        const number = [GOOD_CARD, LOST_ANSWER_CARD, SILENT_CARD][count % 3] ?? GOOD_CARD;
        await buyFull(service, acme, { deal_id: 'supper', quantity: 1, user_id: user, credit_card: cardOf(number) });
        turns += 1;
        // Two who move it at once may move it back.
        if (movesTheClock && count % 5 === 0) await service.forward(120);
      } catch (error) {
        if (!isOver(stop)) throw error;
      }
    }
  };

  beforeAll(async () => {
    await start();
    acme = await service.newPartner('acme');
    const redemption_code_pool = Array.from({ length: 500 }, (_, at) => `CODE-${at}`);
    await service.newDeal('lunch', { stock: 1_000_000, redemption_code_pool });
    await service.newDeal('supper', { stock: 1_000_000 });
    user = await service.newUser(acme.key, 'ann@example.com');
  });
  afterAll(async () => {
    await service.stop();
    await discardLeftovers();
  });

  it('while sales go on, holds expire and answers of the gateway are lost; and after kill -9', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const stop = { now: false };
      const shopping = Promise.all([shop(stop, true), shop(stop, false)]);
      shopping.catch(() => undefined);
      for (let times = 0; times < 2; times += 1) {
        const { found, end } = await verified();
        expect(found).toEqual([]);
        expect(end).toMatchObject({ findings: 0, ledger_lines: expect.any(Number) });
      }
      // A busy machine may be slower with sales than with the verifications.
      while (turns < (round + 1) * TURNS) await Promise.race([pause(20), shopping]);
      stop.now = true;
      await service.kill();
      await shopping;
      await start();
    }
    const { found, end } = await verified();
    expect(found).toEqual([]);
    expect(end).toMatchObject({ findings: 0, not_compared: [] });
    expect(Math.min(end.streams, end.followers, end.rows, end.sums, end.charges, end.ledger_lines)).toBeGreaterThan(5);
    const { audit } = (await service.health()).body;
    expect([audit.findings, service.printed]).toEqual([[], expect.not.stringContaining('the self-audit found')]);
  });

  it('refuses a second one while one runs, and ends with its caller', async () => {
    const headers = { authorization: `Bearer ${service.auditorToken}` };
    const leave = new AbortController();
    // Together: that of a log as short as this one may end before another request arrives.
    const asked = await Promise.all(
      Array.from({ length: 4 }, () => fetch(`${service.url}/auditors/verification`, { headers, signal: leave.signal })),
    );
    const refused = asked.filter(({ status }) => status === 503);
    expect([refused.length > 0, asked.length > refused.length]).toEqual([true, true]);
    expect(await refused[0]?.json()).toMatchObject({ error_msg: 'the log is being verified for somebody else' });
    leave.abort();
    for (let status = 503; status !== 200;)
      ({ status } = await fetch(`${service.url}/auditors/verification`, { headers }));
  });
});
