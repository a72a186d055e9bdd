export { BullMqTimers } from './bullmq-timers.js';
export { inspectRedis, type RedisInspection } from './inspect-redis.js';
