// `#eventsourcing/verify`: reads the whole log again and says what contradicts itself. Its thread loads only this part of the engine.
export * from './audit-log.js';
export * from './fault.js';
export * from './log-order.js';
export * from './part.js';
export * from './row-check.js';
export * from './snapshot-check.js';
export * from './stream-check.js';
