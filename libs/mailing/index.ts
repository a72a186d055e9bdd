export * from './mail/index.js';
