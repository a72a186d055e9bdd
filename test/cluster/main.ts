import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { SharedServers, startLogServer } from '../support/shared-servers.js';

/**
 * `npm run test:cluster`: the interface suite, the races, the fuzzer and the kills, with two APIs and two workers instead of one
 * process, on the engines that EVENTSTORE_URL, MONGODB_URL and REDIS_URL name, or on those that are available here. Arguments
 * that begin with `--double.` set faults of the EventStoreDB double (`--double.loseEvery=3 --double.lose=reset`), or what other
 * applications write to it (`--double.foreign=150 --double.before=20000`). With `--log-alone` only the log is on a server, and
 * each service is one process. All other arguments go to Jest, instead of the list of specs. The races and the fuzzer run in
 * the size that their campaigns' variables set (`RACES=200`, `FUZZ=5000`).
 */
const SPECS = [
  'dist/test/interface/',
  'dist/test/campaigns/races/(service|four-ways|links\\.|batches)',
  'dist/test/campaigns/fuzz/',
  'dist/test/campaigns/kills/',
];
const OF_SEVERAL_PROCESSES = [
  'dist/test/campaigns/cluster/',
  'dist/test/campaigns/mail/two',
  'dist/test/campaigns/rebuild/',
];

/** Specs of the embedded default alone. */
const EMBEDDED_ALONE = [
  // The demo, the data folder's lock, and what a start prints.
  'first-start',
  'interface/pages',
  // The files of generations; the rebuild campaign replaces it.
  'interface/projections',
];

/** Each process limits its own requests: two processes that take turns let twice as many pass. */
const OF_ONE_PROCESS = ['interface/rate-limit'];

/**
 * Specs that search by place, or that write or list so much that a stand-in for MongoDB is too slow: it writes about 90 rows per
 * second, so that the rows of a rebuild delay a live view for longer than a read waits, even in a small campaign.
 */
const BEYOND_STAND_INS = [
  'interface/access-tokens.table',
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

/** Where the services of the specs run. */
interface Stage {
  readonly what: string;
  readonly lacks: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stop: () => Promise<void>;
}

const LOG_ALONE = '--log-alone';
const args = process.argv.slice(2);
const logAlone = args.includes(LOG_ALONE);
const mishaps = args.filter((each) => each.startsWith('--double.')).map((each) => each.replace('--double.', '--'));
const own = args.filter((each) => !each.startsWith('--double.') && each !== LOG_ALONE);
const stage = logAlone ? await onLogAlone() : await onAllServers();
if (stage === undefined) {
  process.stderr.write(
    'The suite needs Redis and MongoDB: see the message above, name them in REDIS_URL and MONGODB_URL, or give ' +
      '`--log-alone`.\n',
  );
  process.exit(1);
}
const specs = logAlone ? SPECS : [...SPECS, ...OF_SEVERAL_PROCESSES];
const besides = logAlone ? EMBEDDED_ALONE : [...EMBEDDED_ALONE, ...OF_ONE_PROCESS];
const beyond = stage.lacks.length > 0 ? BEYOND_STAND_INS : [];
process.stdout.write(
  [
    `${stage.what}.`,
    `Left out, as about the embedded default alone: ${besides.join(', ')}.`,
    ...(beyond.length > 0
      ? [`LEFT OUT, for a stand-in that lacks ${stage.lacks.join(', ')} and is slow: ${beyond.join(', ')}.`]
      : []),
    '',
  ].join('\n'),
);
const jest = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  resolve('node_modules/jest/bin/jest.js'),
  ...(own.length === 0 ? specs : own),
  '--maxWorkers=1',
  `--testPathIgnorePatterns=${[...besides, ...beyond].join('|')}`,
];
const child = spawn(process.execPath, jest, {
  stdio: 'inherit',
  env: { ...process.env, TEST_ENGINES: 'true', ...stage.env },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => void stage.stop().then(() => process.exit(code ?? 1)));

async function onAllServers(): Promise<Stage | undefined> {
  const servers = await SharedServers.start(...mishaps);
  if (servers === undefined) return undefined;
  const { what, lacks, stop, eventStoreUrl, mongoUrl, redisUrl } = servers;
  return {
    what: `Two APIs and two workers on ${what}`,
    ...{ lacks, stop },
    env: {
      ...{ EVENTSTORE_URL: eventStoreUrl, MONGODB_URL: mongoUrl, REDIS_URL: redisUrl },
      TEST_LACKS: lacks.join(','),
    },
  };
}

async function onLogAlone(): Promise<Stage> {
  const { url, name, stop } = await startLogServer(...mishaps);
  return {
    what: `One process, with its log on ${name}`,
    ...{ lacks: [], stop },
    env: { EVENTSTORE_URL: url, MONGODB_URL: undefined, REDIS_URL: undefined },
  };
}
