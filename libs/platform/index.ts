export { readConfig } from './config.js';
export { run } from './run.js';
export { runSandboxGateway } from './sandbox-gateway.js';
