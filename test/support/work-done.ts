import { setTimeout as pause } from 'node:timers/promises';
import { SECOND } from '#kernel';
import type { RunningService } from './running-service.js';
import { viewRowsOf } from './data-folder.js';

const PATIENCE = 240_000;
/** The work list of followers. */
const FOLLOWERS = 'followers';
/** Work lists whose rows stay until they are due. */
const DEADLINES = [
  'hold-expiry',
  'email-release',
  'open-checkouts',
  'open-refunds',
  'asked-refunds',
  'open-resales',
  'deleted-cards',
  'batch-deliveries',
  'subscription-mails',
  'daily-updates',
];

/**
 * Waits until every view has seen the whole log and no work list has a due row: interrupted followers are written, expired holds
 * are recorded, addresses that users left are free, and every due charge and refund has its outcome from the gateway,
 * and every due mail was tried.
 * @param patience milliseconds
 */
export async function workDone(service: RunningService, patience = PATIENCE): Promise<void> {
  const deadline = Date.now() + patience;
  for (;;) {
    const open = await openWork(service);
    if (open.length === 0) return;
    if (Date.now() > deadline) throw new Error(`the work is not done: ${open.join('; ')}`);
    await pause(20);
  }
}

/** The work lists of charges and refunds, whose work is due later and may lead to more. */
const OF_THE_GATEWAY = ['open-checkouts', 'asked-refunds', 'open-refunds'];
/** Seconds after which all of it is due. */
const UNTIL_DUE = 31;

/** Waits for due work, and moves time on until nothing is left to ask the gateway. */
export async function gatewayDone(service: RunningService): Promise<void> {
  const open = async (): Promise<number> => {
    const rows = await viewRowsOf(service.dataDir, (view) => OF_THE_GATEWAY.includes(view));
    return OF_THE_GATEWAY.flatMap((list) => rows.get(list) ?? []).length;
  };
  await workDone(service);
  for (let tries = 0; (await open()) > 0; tries += 1) {
    if (tries > OF_THE_GATEWAY.length) throw new Error('the gateway is asked again and again');
    await service.forward(UNTIL_DUE);
    await workDone(service);
  }
}

/** Waits until every view has seen the whole log. */
export async function viewsDone(service: RunningService): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const behind = await viewsBehind(service);
    if (behind.length === 0) return;
    if (Date.now() > deadline) throw new Error(`the views are behind: ${behind.join('; ')}`);
    await pause(20);
  }
}

/** The projector tells its lag behind the end that it knows, which may be a moment old: this asks the log for its end. */
async function viewsBehind(service: RunningService): Promise<string[]> {
  const { body } = await service.health();
  const head = BigInt((body.log as { head: string }).head);
  const answer = await service.ask('GET', '/operators/projections', { token: service.operatorToken });
  // A projector of a busy machine may not have reported yet.
  if (answer.status === 503) return [answer.text];
  const { projections } = answer.body;
  return (projections as { view: string; position: string }[])
    .filter(({ position }) => BigInt(position) < head)
    .map(({ view, position }) => `${view} is at ${position} of ${head}`);
}

async function openWork(service: RunningService): Promise<string[]> {
  const behind = await viewsBehind(service);
  if (behind.length > 0) return behind;
  const { now } = await service.operate('GET', '/clock');
  const rows = await viewRowsOf(service.dataDir, (view) => view === FOLLOWERS || DEADLINES.includes(view));
  const followers = rows.get(FOLLOWERS) ?? [];
  const due = DEADLINES.flatMap((list) => rows.get(list) ?? []).filter(
    // The clock tells whole seconds: a row of this second may be due.
    ({ row }) => (row as { due_at: number }).due_at < Date.parse(now) + SECOND,
  );
  return [...followers, ...due].map(({ key }) => key);
}
