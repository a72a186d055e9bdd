export { EmbeddedViewReaders } from './views/embedded-view-readers.js';
export { EmbeddedViewStore } from './views/embedded-view-store.js';
