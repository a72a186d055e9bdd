export type * from './context.js';
export * from './decider.js';
export * from './errors.js';
export * from './event.js';
export * from './event-types.js';
export * from './fold.js';
export * from './instant.js';
export * from './view.js';
export * from './work-list.js';
