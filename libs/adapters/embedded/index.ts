export * from './state/embedded-state.js';
export * from './timers.js';
