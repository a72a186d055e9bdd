// `#backup`: the format of a backup, and how one is written, checked and read. It knows no engine.
export * from './backup-folder.js';
export * from './backup-lock.js';
export * from './backup-place.js';
export * from './damaged.js';
export * from './engine-copies.js';
export * from './event-line.js';
export * from './file-seal.js';
export * from './generations.js';
export type { BackupSource } from './source.js';
export * from './manifest.js';
export * from './read-backup.js';
export * from './state-copy.js';
export * from './state-line.js';
export * from './take-backup.js';
