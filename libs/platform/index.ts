export { readConfig, type Config } from './config.js';
export { buyLines } from './greeting.js';
export { createHttpApp } from './http-app.js';
export { run } from './run.js';
export { openService, type Service } from './service.js';
export * as registry from './registry.js';
