export * from './state/embedded-state.js';
export * from './timers.js';
export * from './views/embedded-view-readers.js';
export * from './views/embedded-view-store.js';
