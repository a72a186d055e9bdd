import { registerHooks } from 'node:module';

const STAND_INS: ReadonlyMap<string, string> = new Map([
  ['@node-rs/argon2', new URL('./argon2-stand-in.js', import.meta.url).href],
]);

// For every module that is loaded from now on: what loads the product must come later.
registerHooks({
  resolve(specifier, context, next) {
    const url = STAND_INS.get(specifier);
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
});
