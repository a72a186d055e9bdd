import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { describeAlone } from '../support/alone.js';
import { reserve } from '../support/buying.js';
import { REDIS, TestRedis } from '../support/redis.js';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';

describeAlone('G11: a service whose Redis goes away', () => {
  if (REDIS !== 'own') {
    it.skip('needs a Redis of its own', () => undefined);
    return;
  }
  let redis: TestRedis;
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    redis = await TestRedis.own();
    service = await RunningService.start({ env: { REDIS_URL: redis.url } });
    acme = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: 10 });
  });
  afterAll(async () => {
    await service.discard();
    await redis.end();
  });

  const health = (): Promise<Answer> => service.health();

  async function until(state: string): Promise<Answer> {
    for (;;) {
      const answer = await health();
      if (answer.body.queue.state === state) return answer;
      await pause(20);
    }
  }

  it('says so, by name, and is ready and sells all the same, until it is back', async () => {
    expect((await health()).body.queue).toEqual({ in: 'Redis', state: 'working', error: null });
    await redis.stop('SIGKILL');
    const { status, body } = await until('degraded');
    expect([status, body.status, body.queue.error]).toEqual([200, 'success', expect.stringContaining('REDIS_URL')]);
    expect((await reserve(service, acme.key, 'lunch', 2)).fulfillment_state).toBe('reserved');
    await redis.startAgain();
    expect((await until('working')).status).toBe(200);
  });
});
