export { BullMqTimers, type BullMqTimersOptions } from './bullmq-timers.js';
