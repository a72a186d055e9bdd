// `#adapters/embedded/projector`: what the thread that builds views needs of this adapter: the log to follow, the views to write.
export { EmbeddedLogReader } from '../log/embedded-log-reader.js';
export { EmbeddedViewStore } from '../views/embedded-view-store.js';
