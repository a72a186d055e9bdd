export { readConfig } from './config.js';
export { createHttpApp } from './http-app.js';
export { run, runWorker } from './run.js';
export { openService } from './service.js';
export { realSurroundings } from './surroundings.js';
