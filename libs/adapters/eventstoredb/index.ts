export { ServerConnection } from './client.js';
export { EventStoreDbLog } from './eventstoredb-log.js';
export { EventStoreDbLogReader } from './eventstoredb-log-reader.js';
export { reasonOf } from './reason.js';
export { LimitedAppend } from './messages.js';
export { existsOn } from './opening.js';
export type { AppendCall, Dial, LongCall, NodeCalls } from './node-calls.js';
export * from './server.js';
