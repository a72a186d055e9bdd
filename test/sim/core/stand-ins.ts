import { registerHooks } from 'node:module';
import { anySignal } from './any-signal.js';

const STAND_INS: ReadonlyMap<string, string> = new Map([
  ['@node-rs/argon2', new URL('./argon2-stand-in.js', import.meta.url).href],
  [
    '@eventstore/db-client/dist/utils/convertGrpcEvent.js',
    new URL('../shared/eventstoredb/convert-once.js', import.meta.url).href,
  ],
]);

// For every module that is loaded from now on: what loads the product must come later.
registerHooks({
  resolve(specifier, context, next) {
    const url = STAND_INS.get(specifier);
    // A stand-in may use what it stands in for.
    return url === undefined || url === context.parentURL ? next(specifier, context) : { url, shortCircuit: true };
  },
});

AbortSignal.any = anySignal;
