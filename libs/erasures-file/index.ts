// `#erasures-file`: the file that says which persons were erased, outside the log, the keys and every backup of them.
export * from './erasures-file.js';
export * from './kept-erasures.js';
