// `#kernel/bounds`: how much may enter, whichever way it comes. docs/bounds.md tells all of it.
export * from './calls.js';
export * from './operators.js';
