import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Json, RunningService } from './running-service.js';

const PATIENCE = 300_000;
const UNTIL_TOLD = 240_000;

/** A view's entry in `GET /operators/projections`. */
export async function projectionOf(service: RunningService, view: string): Promise<Json> {
  const { projections } = await service.operate('GET', '/projections?per_page=1000');
  return (projections as Json[]).find((each) => each.view === view);
}

/** A view's generations, as one process reports them: on shared engines another process may know an older state. */
export async function generationsOf(service: RunningService, view: string): Promise<Json[]> {
  const path = `/operators/projections/${view}/generations`;
  const { status, body, text } = await service.ask('GET', path, { token: service.operatorToken, at: service.url });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
  return body.generations;
}

/** The states of the generations that a view has, by their numbers; what failed or was cancelled is no more. */
export async function statesOf(service: RunningService, view: string): Promise<Record<number, string>> {
  const generations = await generationsOf(service, view);
  const there = generations.filter(({ state }) => state !== 'failed' && state !== 'cancelled');
  return Object.fromEntries(there.map(({ number, state }) => [number, state]));
}

/** Waits until a view's generations are in these states: on shared engines that takes a moment. */
export async function untilStates(
  service: RunningService,
  view: string,
  expected: Readonly<Record<number, string>>,
): Promise<void> {
  const deadline = Date.now() + UNTIL_TOLD;
  for (;;) {
    const states = await statesOf(service, view);
    if (isDeepStrictEqual(states, expected)) return;
    if (Date.now() > deadline) throw new Error(`${view}: ${JSON.stringify(states)}, not ${JSON.stringify(expected)}`);
    await pause(10);
  }
}

/** Waits until a view's live generation is this one. */
export async function untilLive(service: RunningService, view: string, number: number): Promise<void> {
  const deadline = Date.now() + UNTIL_TOLD;
  for (;;) {
    const { generation } = await projectionOf(service, view);
    if (generation === number) return;
    if (Date.now() > deadline) throw new Error(`${view}: generation ${generation} is live, not ${number}`);
    await pause(10);
  }
}

/** Waits until a view's generation is in this state; returns everything that was reported of it meanwhile. */
export async function untilState(
  service: RunningService,
  view: string,
  number: number,
  state: string,
): Promise<readonly Json[]> {
  const reports: Json[] = [];
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const found = (await generationsOf(service, view)).find((each) => each.number === number);
    if (found !== undefined) reports.push(found);
    if (found?.state === state) return reports;
    if (Date.now() > deadline) throw new Error(`generation ${number} of ${view} is ${found?.state}, not ${state}`);
    await pause(5);
  }
}

/** Starts a rebuild. @returns the number of its generation */
export async function rebuild(service: RunningService, view: string): Promise<number> {
  return (await service.operate('POST', `/projections/${view}/rebuild`)).generation;
}

/** Gives an order about a generation. @returns the status of the answer */
export async function orderOf(
  service: RunningService,
  view: string,
  number: number,
  verb: 'promote' | 'cancel' | 'drop',
): Promise<number> {
  const path = `/operators/projections/${view}/generations/${number}`;
  const [method, at] = verb === 'drop' ? ['DELETE', path] : ['POST', `${path}/${verb}`];
  return (await service.ask(method, at, { token: service.operatorToken })).status;
}
