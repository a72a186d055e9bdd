// `#adapters/embedded/projector`: the part of this adapter that the projector's thread needs: the log to follow, the views
// to write.
export { EmbeddedLogReader } from '../log/embedded-log-reader.js';
export { EmbeddedViewStore } from '../views/embedded-view-store.js';
