// `#kernel/bounds`: the bounds of everything that enters. docs/bounds.md lists them, except the ranges of single
// numbers, which /openapi.json shows.
export * from './calls.js';
export * from './operators.js';
