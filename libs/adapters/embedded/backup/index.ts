// `#adapters/embedded/backup`: a data folder as a backup copies it, and as a restore writes it.
export * from './copied-folder.js';
export * from './restored-log.js';
export * from './restored-state.js';
