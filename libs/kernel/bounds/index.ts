// `#kernel/bounds`: the bounds of everything that enters. docs/bounds.md lists all of them.
export * from './calls.js';
export * from './operators.js';
