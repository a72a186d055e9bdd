import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RunningService } from '../support/running-service.js';
import { LoadGenerator, Yardstick } from './processes.js';
import { table, type Measured } from './report.js';
import { prepareLists } from './lists.js';
import { prepareSales } from './rows.js';
import { measure } from './turns.js';

const USAGE = `npm run bench -- [--turns 5] [--seconds 2] [--connections 64] [--lists 100000] [--folder dist] [--json]

Measures Holdfast against a bare Nest-on-Fastify server, in turns. --seconds is the length of one turn; --connections may
name several numbers (16,64,256); --lists measures lists of 100 out of so many deals (20000 at least) instead of sales; the data is written to a new folder inside --folder, which is removed afterwards.`;

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    lists: { type: 'string' },
    folder: { type: 'string', default: 'dist' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** What was started, ended in reverse order whatever happens. */
const started: (() => unknown)[] = [];
const interrupted = new AbortController();

async function stop(): Promise<void> {
  for (const end of started.splice(0).reverse()) await end();
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interrupted.signal.aborted) return;
    interrupted.abort();
    void stop().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  });
}

/** A server that is starting: it is stopped even when the bench ends before it is ready. */
function begun<Started extends { stop(): unknown }>(starting: Promise<Started>): Promise<Started> {
  started.push(() =>
    starting.then(
      (server) => server.stop(),
      () => undefined,
    ),
  );
  return starting;
}

/** On stderr, because stdout may be piped. */
function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function bench(): Promise<Measured[]> {
  const turns = positive('turns', values.turns);
  const seconds = positive('seconds', values.seconds);
  const connections = values.connections.split(',').map((given) => positive('connections', given));
  mkdirSync(values.folder, { recursive: true });
  const folder = mkdtempSync(join(values.folder, 'bench-'));
  started.push(() => rmSync(folder, { recursive: true, force: true }));
  progress('starting');
  const service = await begun(RunningService.start({ dataDir: join(folder, 'data'), env: { TEST_CLOCK: 'false' } }));
  progress('preparing');
  const lists = values.lists === undefined ? undefined : positive('lists', values.lists);
  const { rows, yardsticks } = lists === undefined ? await prepareSales(service) : await prepareLists(service, lists);
  const answers = join(folder, 'answers.json');
  writeFileSync(answers, JSON.stringify(yardsticks));
  const bare = await begun(Yardstick.start(answers));
  const load = new LoadGenerator();
  const beside = new LoadGenerator();
  started.push(
    () => load.stop(),
    () => beside.stop(),
  );
  const holdfast = { pid: service.child.pid ?? 0, port: Number(new URL(service.url).port) };
  const lines: Measured[] = [];
  for (const each of connections) {
    for (const row of rows) {
      lines.push(
        await measure(
          row,
          { load, beside },
          { bare, holdfast },
          { turns, seconds, connections: each, folder, progress },
        ),
      );
    }
  }
  return lines;
}

function positive(name: string, given: string): number {
  const number = Number(given);
  if (!(number > 0)) throw new Error(`--${name} must be a number above 0, not ${given}`);
  return number;
}

if (values.help) {
  process.stdout.write(`${USAGE}\n`);
} else {
  try {
    const lines = await bench();
    process.stdout.write(values.json ? `${JSON.stringify(lines, undefined, 2)}\n` : `\n${table(lines)}\n`);
  } catch (error) {
    // Whoever pressed Ctrl-C knows why the bench ended.
    if (!interrupted.signal.aborted)
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    if (!interrupted.signal.aborted) await stop();
  }
}
