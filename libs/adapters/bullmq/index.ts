export { BullMqTimers } from './bullmq-timers.js';
