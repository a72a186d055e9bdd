export * from './bits.js';
export * from './counts.js';
export * from './hash-of.js';
export * from './recent-ids.js';
export * from './whole-number.js';
