export { runCommandLine } from './run-command-line.js';
