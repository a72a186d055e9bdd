export * from './state/embedded-state.js';
export * from './timers.js';
export * from './views/embedded-view-readers.js';
export * from './views/embedded-view-store.js';
export * from './views/seen-by-views.js';
export * from './data-folder.js';
export * from './log/embedded-log.js';
export * from './log/embedded-log-reader.js';
export { inspectState, type StateInspection } from './state/state-file.js';
