export { runOps } from './run-ops.js';
