export * from './this-machine.js';
