// `#kernel/bounds`: the bounds of everything that enters, and the waits of calls. docs/bounds.md lists them, except the ranges of single
// numbers, which /openapi.json shows.
export * from './calls.js';
export * from './operators.js';
export * from './waits.js';
