// `#adapters/embedded/audit`: the part of this adapter that the audit's thread needs beside the log: views and snapshots to read.
export { EmbeddedSnapshotStore } from '../snapshots/embedded-snapshot-store.js';
export { EmbeddedViewReaders } from '../views/embedded-view-readers.js';
