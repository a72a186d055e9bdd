// `#files`: what everybody needs who reads or writes files. Threads load it, too.
export * from './open-to-others.js';
export * from './read-pem.js';
export * from './read-within.js';
export * from './restore-advice.js';
export * from './sync-folder.js';
export * from './write-named.js';
