// `#eventsourcing/caches`: what keeps a bounded amount in memory. It imports nothing else of the engine.
export * from './bounded-map.js';
export { generationBytes } from './cache-shares.js';
export * from './last-revisions.js';
export * from './own-bytes.js';
