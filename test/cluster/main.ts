import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { SharedServers } from '../support/shared-servers.js';

/**
 * `npm run test:cluster`: the interface suite, the races and the kills, with two APIs and two workers in place of one
 * process, on the engines that EVENTSTORE_URL, MONGODB_URL and REDIS_URL name, or on those that can be had here. Arguments
 * that begin with `--double.` set mishaps of the EventStoreDB double (`--double.loseEvery=3 --double.lose=reset`); the others
 * go to Jest, in place of the list of specs.
 */
const SPECS = [
  'dist/test/interface/',
  'dist/test/campaigns/races/service',
  'dist/test/campaigns/kills/',
  'dist/test/campaigns/cluster/',
  'dist/test/campaigns/rebuild/',
];

/** What is about the embedded default alone. */
const EMBEDDED_ALONE = [
  // The demo, the data folder's lock, and what a start prints.
  'first-start',
  // The files of generations; the campaign of rebuilds is run in its place.
  'interface/projections',
  // Each process bounds what it is asked by itself: two that are asked in turn let twice as much pass.
  'interface/rate-limit',
];

/**
 * What looks for places, or writes or lists so much that a stand-in for MongoDB follows too slowly: it writes about 90 rows per
 * second, so that rows of a rebuild keep a live view behind for longer than a read waits, however small the campaign is.
 */
const BEYOND_STAND_INS = [
  'interface/conventions',
  'interface/corrections',
  'interface/deal-list',
  'interface/deals-v3',
  'interface/openapi',
  'interface/regional-deals',
  'interface/regions',
  'interface/credit-cards',
  'campaigns/kills',
  'campaigns/rebuild',
];

const given = process.argv.slice(2);
const mishaps = given.filter((each) => each.startsWith('--double.')).map((each) => each.replace('--double.', '--'));
const own = given.filter((each) => !each.startsWith('--double.'));
const servers = await SharedServers.start(...mishaps);
if (servers === undefined) {
  process.stderr.write(
    'A Redis and a MongoDB are needed: see what is said above, or name them by REDIS_URL and MONGODB_URL.\n',
  );
  process.exit(1);
}
const beyond = servers.lacks.length > 0 ? BEYOND_STAND_INS : [];
process.stdout.write(
  [
    `Two APIs and two workers on ${servers.what}.`,
    `Left out, as about the embedded default alone: ${EMBEDDED_ALONE.join(', ')}.`,
    ...(beyond.length > 0
      ? [`LEFT OUT, for a stand-in that lacks ${servers.lacks.join(', ')} and is slow: ${beyond.join(', ')}.`]
      : []),
    '',
  ].join('\n'),
);
const jest = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  resolve('node_modules/jest/bin/jest.js'),
  ...(own.length === 0 ? SPECS : own),
  '--maxWorkers=1',
  `--testPathIgnorePatterns=${[...EMBEDDED_ALONE, ...beyond].join('|')}`,
];
const child = spawn(process.execPath, jest, {
  stdio: 'inherit',
  env: {
    ...process.env,
    TEST_ENGINES: 'true',
    EVENTSTORE_URL: servers.eventStoreUrl,
    MONGODB_URL: servers.mongoUrl,
    REDIS_URL: servers.redisUrl,
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => void servers.stop().then(() => process.exit(code ?? 1)));
