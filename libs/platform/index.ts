export { readConfig } from './config.js';
export { createHttpApp } from './http-app.js';
export { run } from './run.js';
export { runSandboxGateway } from './sandbox-gateway.js';
export { openService } from './service.js';
