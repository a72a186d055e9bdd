import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Logger, pino } from 'pino';
import { EmbeddedLog, EmbeddedState, EmbeddedViewReaders } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { loadMasterKey, NO_STREAM } from '#eventsourcing';
import { openService, readConfig, realSurroundings } from '#platform';
import { views } from '#platform/model';
import type { Recorded } from '#kernel';
import { eventsOf, rowsOf } from '../../support/data-folder.js';
import { naiveFold } from '../../support/naive-fold.js';
import { stateRowsOf } from './facts.js';
import { type Story, textOf } from './record.js';
import type { Told } from './told.js';

/** Milliseconds for the views of a small log. */
const VIEWS_WITHIN = 240_000;
/** pino's level of errors. */
const ERROR = 50;

/** What a check found that must not be. */
export class Wrong extends Error {
  override name = 'Wrong';
}

function demand(holds: boolean, words: string): asserts holds {
  if (!holds) throw new Wrong(words);
}

/**
 * Opens the log and the state that the power left, by the adapter alone, and checks that everything told is there, and that both
 * go on.
 * @throws Wrong
 */
export async function checkFiles(story: Story, told: Told): Promise<void> {
  const { root } = story.recording;
  // Before anybody was told anything, a start begins anew.
  if (!told.anything && !existsSync(join(root, 'events.db'))) return;
  const log = await EmbeddedLog.open({ file: join(root, 'events.db') });
  try {
    const head = await log.head();
    const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'system:test' };
    const event = { id: 'id', type: 'cut.v1', data: { head: String(head) }, metadata };
    const [appended] = await log.append([{ stream: 'cut-1', expected: NO_STREAM, events: [event] }]);
    demand(appended?.kind === 'written' && appended.position === head + 1n, `it does not go on after ${head}`);
    demand((await log.readStream('cut-1', 0, 10)).length === 1, 'what was appended after the cut cannot be read');
  } finally {
    await log.close();
  }
  const all = await eventsOf(root);
  checkEvents(story, told, all.slice(0, -1));
  if (existsSync(join(root, 'master.key'))) {
    const { randomness } = thisMachine;
    const master = (): Buffer => loadMasterKey({ file: join(root, 'master.key'), mustExist: true, randomness });
    const state = await EmbeddedState.open(join(root, 'state.db'), master);
    await state.close();
  }
  checkState(story, told, all.slice(0, -1));
}

/**
 * Starts everything of the service but HTTP on what the power left: the survey of the folder, the check whose log it is, log,
 * state and views. Then checks the same as `checkFiles`, and every view, row for row. A damaged view is wrong even though the
 * start builds it again: SQLite promises that no power cut damages a file that was synced as its rules say.
 * @throws Wrong
 */
export async function checkService(story: Story, told: Told): Promise<void> {
  const { root } = story.recording;
  const said: { readonly level: number; readonly msg: string }[] = [];
  const logger: Logger = pino(
    { level: 'warn' },
    { write: (line: string) => void said.push(JSON.parse(line) as never) },
  );
  const environment = { DATA_DIR: root, DEMO: 'false', TEST_CLOCK: 'true', TIMERS: 'false' };
  const service = await openService(readConfig(environment), logger, realSurroundings(thisMachine)).catch(
    (error: unknown) => {
      throw new Wrong(`the start fails: ${String(error)}`);
    },
  );
  try {
    const findings = [...service.guard.findings, ...service.ledger.findings].map(({ words }) => words);
    demand(findings.length === 0, `the start finds: ${findings.join('; ')}`);
    const head = await service.engine.log.head();
    const deadline = performance.now() + VIEWS_WITHIN;
    const reached = (): boolean => {
      const report = service.projections.report();
      const stopped = report?.views.find(({ state }) => state === 'stopped');
      demand(stopped === undefined, `the view ${stopped?.view} stops: ${stopped?.error}`);
      return report !== undefined && report.views.every(({ state, position }) => state === 'live' && position >= head);
    };
    while (!reached()) {
      demand(performance.now() < deadline, 'the views do not catch up');
      await thisMachine.time.pause(2);
    }
  } finally {
    await service.close();
  }
  const errors = said.filter(({ level }) => level >= ERROR).map(({ msg }) => msg);
  demand(errors.length === 0, `the start reports errors: ${errors.join('; ')}`);
  const damaged = said.filter(({ msg }) => msg.includes(' is damaged ')).map(({ msg }) => msg);
  demand(damaged.length === 0, `the power has damaged views: ${damaged.join('; ')}`);
  const events = await eventsOf(root);
  checkEvents(story, told, events);
  checkState(story, told, events);
  checkLedger(story, events);
  await checkViews(story, events);
}

/** The log is a beginning of what it was in the end, with everything told. */
export function checkEvents({ events }: Story, told: Told, found: readonly Recorded[]): void {
  demand(BigInt(found.length) >= told.position, `the log ends at ${found.length}, and ${told.position} was told`);
  for (const [index, event] of found.entries()) {
    demand(textOf(event) === events[index], `event ${index + 1} is another one than was written`);
  }
}

/** Every row that an answer stands for is there, as it was written; and the key of every person that the log knows. */
function checkState({ recording, state }: Story, told: Told, events: readonly Recorded[]): void {
  const persons = events.filter(({ type }) => type.startsWith('user-registered.'));
  const cards = events.filter(({ type }) => type.startsWith('card-stored.'));
  const needed = [
    ...told.rows,
    ...persons.map(({ data }) => `person ${(data as { readonly user_id: string }).user_id}`),
    ...cards.map(({ data }) => `secret ${(data as { readonly card_id: string }).card_id}`),
  ];
  if (needed.length === 0) return;
  const rows = stateRowsOf(recording.root);
  for (const row of needed) {
    demand(rows.has(row), `state.db lacks the row ${row}`);
    demand(rows.get(row) === state.get(row), `state.db has another row ${row} than was written`);
  }
}

/** Every charge that the log knows is in the gateway's ledger, which is a beginning of what it was in the end. */
function checkLedger({ recording, ledger }: Story, events: readonly Recorded[]): void {
  const found = readFileSync(join(recording.root, 'sandbox-gateway.jsonl'));
  demand(ledger.subarray(0, found.length).equals(found) || events.length === 0, 'the ledger holds something else');
  const text = found.toString();
  for (const { type, data } of events) {
    if (!type.startsWith('purchase-charged.')) continue;
    const { purchase_id: id } = data as { readonly purchase_id: string };
    demand(text.includes(`"${id}"`), `the ledger lacks the charge of ${id}`);
  }
}

/** Every view has the rows that the log makes, as a reader of the service finds them. */
async function checkViews({ recording }: Story, events: readonly Recorded[]): Promise<void> {
  const readers = EmbeddedViewReaders.open(join(recording.root, 'views'));
  try {
    const expected = naiveFold(events);
    for (const view of views) {
      const rows = await rowsOf(readers.reader(view));
      demand(
        isDeepStrictEqual(rows, expected.get(view.name)),
        `the view ${view.name} has other rows than the log makes`,
      );
    }
  } finally {
    await readers.close();
  }
}
