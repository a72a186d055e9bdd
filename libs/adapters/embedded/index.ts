export * from './data-folder.js';
export * from './log/embedded-log.js';
export * from './log/embedded-log-reader.js';
export { LogUnusable } from './log/log-file.js';
