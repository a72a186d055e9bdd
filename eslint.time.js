/**
 * Time, timers and randomness come through the ports `Time` and `Randomness`, so that a process can live in a time that is
 * not the machine's. What is forbidden everywhere else, by how it would be reached; test/architecture/time.spec.ts proves of
 * each that it is refused.
 */

const TIME = 'Take `Time` (libs/eventsourcing/ports/time.ts) from whoever puts you together.';
const RANDOMNESS = 'Take `Randomness` (libs/eventsourcing/ports/randomness.ts) from whoever puts you together.';

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'];
const TIME_OF_PROCESS = ['hrtime', 'uptime'];
/** Of node:crypto; everything else of it is worked out from what it is given. */
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

const properties = (objects, names, message) =>
  objects.flatMap((object) => names.map((property) => ({ object, property, message })));
const modules = (names, rest) => names.flatMap((name) => [name, `node:${name}`]).map((name) => ({ name, ...rest }));
const noArguments = '[arguments.length=0]';

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
  'no-restricted-syntax': [
    'error',
    { selector: `NewExpression[callee.name="Date"]${noArguments}`, message: TIME },
    { selector: 'CallExpression[callee.name="Date"]', message: TIME },
    {
      // Luxon: without arguments they say what time it is.
      selector: `CallExpression[callee.object.name="DateTime"][callee.property.name=/^(local|utc)$/]${noArguments}`,
      message: TIME,
    },
    {
      selector: 'ImportExpression[source.value=/^(node:)?(timers(\\u002Fpromises)?|perf_hooks|process)$/]',
      message: TIME,
    },
    { selector: 'ImportExpression[source.value=/^(node:)?crypto$/]', message: RANDOMNESS },
  ],
};
