export * from './ports/clock.js';
export * from './ports/event-log.js';
export * from './ports/idempotency-records.js';
export * from './ports/key-store.js';
export * from './ports/view-store.js';
export * from './ports/work-timers.js';
export * from './query.js';
