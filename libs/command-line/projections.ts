import { CommandFailure, ExitCode } from './command-failure.js';
import { write } from './output.js';
import { follow, leftOf, percentOf, speedOf } from './progress.js';
import type { Compared, Generation, Projection } from './projections-client.js';
import type { Session } from './session.js';
import { show } from './show.js';
import { StepBar } from './step-bar.js';
import type { Column, OwnCall, Values } from './calls/call.js';

const PROJECTION_COLUMNS: readonly Column[] = [
  'view',
  'state',
  'generation',
  {
    name: 'behind',
    cell: ({ lag_events, lag_seconds }: Projection) =>
      lag_events === 0 ? '0' : `${lag_events?.toLocaleString('en') ?? '?'} events, ${lag_seconds} s`,
  },
  {
    name: 'error',
    cell: ({ last_error, stopped_at }: Projection) =>
      stopped_at ? `${last_error ?? ''} (at the position ${stopped_at.position})` : (last_error ?? ''),
  },
];

const GENERATION_COLUMNS: readonly Column[] = [
  'number',
  'state',
  {
    name: 'progress',
    cell: (each: Generation) => `${percentOf(each)} %${each.state === 'building' ? `, ${leftOf(each.time_left)}` : ''}`,
  },
  { name: 'speed', cell: ({ events_per_second }: Generation) => speedOf(events_per_second) },
  { name: 'error', cell: ({ last_error }: Generation) => last_error ?? '' },
];

/** Lists the projections and their state. */
export async function listProjections({ projections, output }: Session): Promise<void> {
  const found = await projections.list();
  show(output, { projections: found }, { columns: PROJECTION_COLUMNS, rows: found });
}

/**
 * Builds a generation, and follows it unless told otherwise.
 * @throws CommandFailure if the options contradict each other
 */
export async function rebuild(session: Session, { view: given, promote, detach }: Values): Promise<void> {
  const view = String(given);
  if (promote === true && detach === true) {
    throw new CommandFailure('--promote waits until the generation is ready: leave --detach out', ExitCode.usage);
  }
  const { projections, output, interrupted, time } = session;
  const number = await projections.order(view, 'rebuild');
  const told = (state: 'building' | 'ready' | 'live', text: string): void =>
    write(output, { view, generation: number, state }, `Generation ${number} of ${view} ${text}`);
  if (detach === true) {
    told('building', `is being built. \`projections generations ${view} --watch\` follows it.`);
    return;
  }
  await follow(projections, { view, number }, output, { interrupted, time });
  if (promote !== true) {
    told('ready', `is ready. \`projections promote ${view} ${number}\` makes it the live one.`);
    return;
  }
  await projections.orderOf(view, number, 'promote');
  told('live', 'is live.');
}

/** Lists the generations of a view; with `watch`, after a running build is ready. */
export async function listGenerations(session: Session, { view: given, watch }: Values): Promise<void> {
  const view = String(given);
  const { projections, output, interrupted, time } = session;
  const building = (await projections.generations(view)).find(({ state }) => state === 'building');
  if (watch === true && building !== undefined)
    await follow(projections, { view, number: building.number }, output, { interrupted, time });
  const generations = await projections.generations(view);
  show(output, { view, generations }, { columns: GENERATION_COLUMNS, rows: generations });
}

/** Compares a generation with the live one, and follows how far the comparison is. */
export async function compareGenerations(session: Session, { view: given, n }: Values): Promise<void> {
  const { projections, output, interrupted } = session;
  const [view, generation] = [String(given), Number(n)];
  const bar = new StepBar('Comparing', output);
  let found: Compared;
  try {
    found = await projections.compare(view, generation, interrupted, ({ rows, of }) =>
      bar.show({ what: 'rows', done: rows, of }),
    );
  } finally {
    bar.hide();
  }
  const { live, rows, added, removed, changed, samples } = found;
  const sampled = [
    ...samples.added.map((key) => ({ key, is: 'added', fields: '' })),
    ...samples.removed.map((key) => ({ key, is: 'removed', fields: '' })),
    ...samples.changed.map(({ key, fields }) => ({ key, is: 'changed', fields: fields.map(saysField).join(', ') })),
  ];
  show(output, found, {
    fields: { view, generation, live, rows, added, removed, changed },
    ...(sampled.length > 0 && { columns: SAMPLE_COLUMNS, rows: sampled }),
  });
}

const SAMPLE_COLUMNS: readonly Column[] = [{ name: 'key', width: 40 }, 'is', { name: 'fields', width: 60 }];

const saysField = ({ field, live, other }: Compared['samples']['changed'][number]['fields'][number]): string =>
  `${field} ${String(live)} → ${String(other)}`;

/** Makes the run of an order about one generation. */
export const orderOf =
  (verb: 'promote' | 'cancel' | 'drop', done: string): OwnCall['run'] =>
  async ({ projections, output }, { view: given, n }) => {
    const [view, generation] = [String(given), Number(n)];
    await projections.orderOf(view, generation, verb);
    write(output, { view, generation }, `Generation ${generation} of ${view} ${done}.`);
  };

/** Makes the run of an order about a view that has stopped. */
export const orderStopped =
  (verb: 'resume' | 'skip', done: string): OwnCall['run'] =>
  async ({ projections, output }, { view: given, position }) => {
    const view = String(given);
    const generation = await projections.order(view, verb, position === undefined ? {} : { position });
    write(output, { view, generation }, `${view} ${done}. \`projections list\` shows its state.`);
  };
