// `#eventsourcing/scheduling`: clocks, the time that a call has, and how pieces of work take turns.
export * from './at-once.js';
export * from './bounded-semaphore.js';
export * from './call-deadline.js';
export * from './clock.js';
export * from './present-answer.js';
export * from './present-span.js';
export * from './retry-while-unavailable.js';
export * from './shown.js';
export * from './slices.js';
export * from './turn-queue.js';
