export { readConfig } from './config.js';
export { run } from './run.js';
