export { EventStoreDbLog } from './eventstoredb-log.js';
export { EventStoreDbLogReader, type EventStoreDbOptions } from './eventstoredb-log-reader.js';
export { reasonOf } from './reason.js';
export type { FoundInStream, WatchedBy } from './stream-watch.js';
