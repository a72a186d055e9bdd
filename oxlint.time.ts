/**
 * Time, timers and randomness come through the ports `Time` and `Randomness`, so that tests and simulators can replace them.
 * These rules forbid every other source; test/architecture/time.spec.ts proves that each one is refused.
 */

const TIME = 'Use the port `Time` (libs/eventsourcing/ports/time.ts), received through the constructor.';
const RANDOMNESS =
  'Use the port `Randomness` (libs/eventsourcing/ports/randomness.ts), received through the constructor.';

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'];
const TIME_OF_PROCESS = ['hrtime', 'uptime'];
/** The random functions of node:crypto. Its other functions depend only on their arguments. */
const RANDOM = [
  'generateKey',
  'generateKeyPair',
  'generateKeyPairSync',
  'generateKeySync',
  'generatePrime',
  'generatePrimeSync',
  'getRandomValues',
  'prng',
  'pseudoRandomBytes',
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'randomUUIDv7',
  'rng',
  'subtle',
  'webcrypto',
];
const GLOBALS = [
  ...[...TIMERS, 'performance'].map((name) => ({ name, message: TIME })),
  { name: 'crypto', message: RANDOMNESS },
];

const properties = (objects: readonly string[], names: readonly string[], message: string) =>
  objects.flatMap((object) => names.map((property) => ({ object, property, message })));
const modules = (names: readonly string[], rest: { readonly message: string; readonly importNames?: string[] }) =>
  names.flatMap((name) => [name, `node:${name}`]).map((name) => ({ name, ...rest }));
export const ownTime = {
  'no-restricted-globals': ['error', ...GLOBALS],
  'no-restricted-properties': [
    'error',
    ...properties(['Date'], ['now'], TIME),
    ...properties(['process'], TIME_OF_PROCESS, TIME),
    ...properties(['AbortSignal'], ['timeout'], TIME),
    ...properties(['DateTime'], ['now'], TIME),
    ...properties(['Math'], ['random'], RANDOMNESS),
    ...['globalThis', 'global'].flatMap((object) =>
      GLOBALS.map(({ name: property, message }) => ({ object, property, message })),
    ),
  ],
  'no-restricted-imports': [
    'error',
    {
      paths: [
        ...modules(['timers', 'timers/promises', 'perf_hooks'], { message: TIME }),
        ...modules(['process'], { importNames: [...TIME_OF_PROCESS, 'default'], message: TIME }),
        ...modules(['crypto'], { importNames: [...RANDOM, 'default'], message: RANDOMNESS }),
      ],
    },
  ],
  'holdfast/own-time': 'error',
} as const;

const noArguments = '[arguments.length=0]';

/** What the rule `holdfast/own-time` refuses: calls and imports, as selectors of syntax, and what to use instead. */
const SYNTAX = {
  [`NewExpression[callee.name="Date"]${noArguments}`]: TIME,
  'CallExpression[callee.name="Date"]': TIME,
  // Luxon: without arguments, these return the present time.
  [`CallExpression[callee.object.name="DateTime"][callee.property.name=/^(local|utc)$/]${noArguments}`]: TIME,
  'ImportExpression[source.value=/^(node:)?(timers(\\u002Fpromises)?|perf_hooks|process)$/]': TIME,
  'ImportExpression[source.value=/^(node:)?crypto$/]': RANDOMNESS,
};

/** A plugin of the linter. */
export default {
  meta: { name: 'holdfast' },
  rules: {
    'own-time': {
      create: (context: { report(found: { node: unknown; message: string }): void }) =>
        Object.fromEntries(
          Object.entries(SYNTAX).map(([selector, message]) => [
            selector,
            (node: unknown) => context.report({ node, message }),
          ]),
        ),
    },
  },
};
