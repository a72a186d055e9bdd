export * from './bits.js';
export * from './counts.js';
export * from './recent-ids.js';
