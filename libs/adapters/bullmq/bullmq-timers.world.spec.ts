import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { BullMqTimers } from '#adapters/bullmq';
import { workTimersContract } from '../../../test/contracts/work-timers.contract.js';
import { REDIS, REDIS_SHOWN, TestRedis } from '../../../test/support/redis.js';

(REDIS === 'none' ? describe.skip : describe)(`timers in Redis, on ${REDIS_SHOWN}`, () => {
  let redis: TestRedis;
  let tests = 0;
  const errors: string[] = [];
  beforeAll(async () => {
    redis = await TestRedis.start();
  });
  afterAll(async () => {
    await redis.end();
    // The suite takes the views away once; there is no error of Redis.
    expect(errors).toEqual(['Error: the view is away']);
  });

  workTimersContract(`BullMqTimers on ${REDIS_SHOWN}`, (clock) =>
    BullMqTimers.open({
      url: redis.url,
      prefix: `${redis.prefix}-${(tests += 1)}`,
      clock,
      lists: ['holds', 'takeovers'],
      onError: (error) => void errors.push(String(error)),
      away: (message) => void errors.push(message),
      warn: (message) => void errors.push(message),
    }),
  );
});
