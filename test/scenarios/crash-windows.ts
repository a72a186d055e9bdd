import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { readLedger, type LedgerLine } from '#adapters/sandbox-gateway';
import type { Recorded } from '#kernel';
import { views } from '#platform/model';
import { RunningService, type Answer, type AskOptions, type Json } from '../support/running-service.js';
import { eventsOf, remove, viewRowsOf } from '../support/data-folder.js';
import { expectCertified } from '../support/certified.js';
import { expectSoundLog } from '../support/sound-log.js';
import { gatewayDone, workDone } from '../support/work-done.js';
import { normalForm, type EndState } from './normal-form.js';
import { crashesDuring, type Crashed } from './windows.js';

/** A caller whose requests may break off with the service. */
export interface Client {
  /** Sends a request under an Idempotency-Key that stays the same in every try; repeats it while the answer says to try again. */
  send(method: string, path: string, options?: Omit<AskOptions, 'headers'>): Promise<Answer>;
  /** As operator. */
  operate(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Moves time forward to this instant, in milliseconds since 1970. */
  until(instant: number): Promise<void>;
}

/** A line of the table: a use case that is cut off after each of its appends. */
export interface UseCase<Prepared = Json> {
  /** The title of its test, with the rules that it proves. */
  readonly title: string;
  /** Others show the same kind of fault: only `npm run test:nightly` tries it. */
  readonly nightly?: true;
  /** Prepares the data before the use case; nothing of it is cut off. */
  prepare(service: RunningService): Promise<Prepared>;
  /**
   * The use case itself, which runs again from its beginning after a crash. Returns what belongs to its end state besides log and
   * views.
   */
  run(client: Client, prepared: Prepared): Promise<Answer | undefined>;
  /** The environment of the process that is cut off, such as TIMERS=false. */
  readonly env?: Readonly<Record<string, string>>;
  /** A kill comes between the preparation and the use case: calls of the preparation still wait. */
  readonly inNewProcess?: boolean;
  /** How many decisions, each an append, come before its last follower; 1 by default. */
  readonly decisions?: number;
  /** The answer shows a secret once: a repeat after a crash only says that the secret is lost. */
  readonly secret?: boolean;
  /** The status of its answer; 200 by default. */
  readonly status?: number;
  /** What the gateway has done in the end, in alphabetical order; not checked when absent. */
  readonly ledger?: readonly `${LedgerLine['kind']} ${LedgerLine['outcome']}`[];
  /** Mails follow, each at its own time: they are no part of the end state, and have tests of their own. */
  readonly mailsApart?: boolean;
  /** Several decisions follow each other, some within a millisecond: it is chance whether their instants are equal. */
  readonly instantsAlike?: boolean;
}

/** Keeps one line's types together. */
export function useCase<Prepared>(line: UseCase<Prepared>): UseCase {
  return line;
}

const SPLIT = {
  SPLIT_APPENDS: 'true',
  PUBLIC_URL: 'https://deals.example',
  // The service soon gives up a charge without an answer, and takes it over 5 s later.
  GATEWAY_TIMEOUT: '200',
  ARGON2_MEMORY: '64',
  ARGON2_TIME: '1',
};
/** For the run that is stopped: a call to the gateway may still wait when the process goes on. */
const STOPPED = { ...SPLIT, GATEWAY_TIMEOUT: '1500', FAILPOINT: 'log.append=held' };
/** A record that a crash left running frees after 30 s; interrupted followers are due after 5 s. */
const UNTIL_FREE = 31;
/** `npm run campaign:crash-windows` tries every append. */
const EVERY = process.env['CRASH_WINDOWS'] === 'all';
const MOST_APPENDS = 30;
/** Where the mails of subscriptions are. */
const MAILS = { view: 'subscription-mails', streams: 'subscriptionMail-' };
const TRIES = 400;

/**
 * Runs a use case in split mode in one process. After append k, for every k from 0 on, the process is stopped and its files are
 * copied: they are those that `kill -9` leaves there. On each copy the service starts again, the client repeats, and the work
 * lists do their work: streams, views, the gateway's ledger and the answer must then equal those of the run itself.
 * @returns the number of stops
 */
export async function crashEverywhere(line: UseCase): Promise<number> {
  const { prepared, crashed, end } = await runOnce(line);
  if (end.answer !== undefined) expect(end.answer).toMatchObject({ status: line.status ?? 200 });
  if (line.ledger !== undefined) {
    const done = (end.ledger as LedgerLine[]).map(({ kind, outcome }) => `${kind} ${outcome}`);
    expect(done.sort()).toEqual(line.ledger);
  }
  for (const { stoppedAfter, left } of crashed) {
    const interrupted = await goOn(line, left, prepared);
    expect({ stoppedAfter, ...withoutLostSecret(interrupted, line) }).toEqual({
      stoppedAfter,
      ...withoutLostSecret(end, line),
    });
  }
  return crashed.length;
}

/**
 * The numbers of appends after which to stop. In `npm test` they are in the middle and one follower beyond the last decision.
 */
function windowsOf({ decisions = 1 }: UseCase): readonly number[] {
  if (EVERY) return Array.from({ length: MOST_APPENDS + 1 }, (_, k) => k);
  return decisions === 1 ? [0, 1, 2] : [Math.ceil(decisions / 2), 1 + decisions];
}

/** What a use case has left at its end, and in the middle. */
interface Run {
  readonly prepared: Json;
  readonly crashed: readonly Crashed[];
  readonly end: EndState;
}

/** Prepares the use case and runs it, with a copy of its files after each append of its windows. */
async function runOnce(line: UseCase): Promise<Run> {
  const env: Readonly<Record<string, string>> = { ...STOPPED, ...line.env };
  const { service, prepared } = await prepare(line, env);
  const { crashed, result: answer } = await crashesDuring(service, windowsOf(line), async () => {
    const given = await line.run(clientOf(service), prepared);
    if (!timersOff(line)) await workDone(service);
    return given;
  });
  if (EVERY && crashed.length > MOST_APPENDS) throw new Error(`not done after ${MOST_APPENDS} appends`);
  if (!timersOff(line)) return { prepared, crashed, end: await endOf(line, service, answer) };
  // The stop finishes work under way before the other start, so nothing is cut off.
  await service.stop();
  const next = await RunningService.start({ dataDir: service.dataDir, env: SPLIT });
  return { prepared, crashed, end: await endOf(line, next, answer) };
}

/** A service that has prepared the use case, and has no work left to do. */
async function prepare(
  line: UseCase,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly service: RunningService; readonly prepared: Json }> {
  const service = await RunningService.start({ env });
  const prepared: Json = await line.prepare(service);
  if (timersOff(line)) {
    await service.stop();
  } else {
    await workDone(service);
    if (line.inNewProcess !== true) return { service, prepared };
    await service.kill();
  }
  return { service: await RunningService.start({ dataDir: service.dataDir, env }), prepared };
}

/** Continues after a crash: a new start, time until records are free, and the client's repeat. */
async function goOn(line: UseCase, dataDir: string, prepared: Json): Promise<EndState> {
  const service = await RunningService.start({ dataDir, env: SPLIT });
  await service.forward(UNTIL_FREE);
  return endOf(line, service, await line.run(clientOf(service), prepared));
}

/** The end of a run, once all its followers are written; then removes the service and its folder. */
async function endOf(line: UseCase, service: RunningService, answer: Answer | undefined): Promise<EndState> {
  const { dataDir } = service;
  try {
    await gatewayDone(service);
    await service.stop();
    const events = await eventsOf(dataDir);
    expectSoundLog(events);
    await expectCertified(events);
    const shown = answer && { status: answer.status, body: answer.body as unknown };
    const ledger = readLedger(join(dataDir, 'sandbox-gateway.jsonl'));
    const rows = new Map(await viewRowsOf(dataDir));
    // It says where the log has which events, and a crashed run has others of the test's clock.
    expect(rows.get(INDEX)?.map(({ key, row }) => [key, row])).toEqual(indexOf(events));
    rows.delete(INDEX);
    if (line.mailsApart === true) rows.delete(MAILS.view);
    const kept = line.mailsApart === true ? events.filter(({ stream }) => !stream.startsWith(MAILS.streams)) : events;
    return normalForm({ events: kept, views: rows, ledger, answer: shown }, line.instantsAlike === true);
  } finally {
    remove(dataDir);
  }
}

/** The index of the log. */
const INDEX = 'event-index';

/** The rows of the index of these events, by key and in the order of the keys. */
function indexOf(events: readonly Recorded[]): readonly (readonly [key: string, row: object])[] {
  const view = views.find(({ name }) => name === INDEX);
  if (view === undefined) throw new Error(`there is no view ${INDEX}`);
  const rows = new Map<string, object>();
  for (const event of events) {
    for (const key of view.keys(event)) {
      const row = view.apply(rows.get(key), event, key);
      if (row !== undefined) rows.set(key, row);
    }
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function timersOff(line: UseCase): boolean {
  return line.env?.['TIMERS'] === 'false';
}

function clientOf(service: RunningService): Client {
  let requests = 0;
  const send: Client['send'] = async (method, path, options = {}) => {
    const headers = { 'idempotency-key': `request-${(requests += 1)}` };
    for (let tries = 1; ; tries += 1) {
      const answer = await service.ask(method, path, { ...options, headers });
      const again = answer.status === 503 || answer.body?.error_type === 'already_processing';
      if (!again) return answer;
      if (tries === TRIES) throw new Error(`${method} ${path}: ${answer.text}`);
      await pause(50);
    }
  };
  return {
    send,
    operate: (method, path, body) => send(method, `/operators${path}`, { token: service.operatorToken, body }),
    async until(instant) {
      const { now } = await service.operate('GET', '/clock');
      if (Date.parse(now) < instant) await service.operate('PUT', '/clock', { now: new Date(instant).toISOString() });
    },
  };
}

/** If an answer shows a secret once, a repeat may only say that it is lost; log and views are the same. */
function withoutLostSecret(end: EndState, line: UseCase): EndState {
  if (line.secret !== true) return end;
  const { status, body } = end.answer as { status: number; body: Json };
  expect([200, 409]).toContain(status);
  if (status === 409) expect(body.error_type).toBe('secrets_lost');
  return { ...end, answer: 'a secret, or that it is lost' };
}
