import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type AskOptions } from '../support/running-service.js';
import { type Finding, isObject, shown } from './checks.js';
import { Known, NotKnown } from './known.js';
import { printed, type Difference, type Result } from './report.js';
import { type Call, type Pause, type Promised, type Step } from './step.js';
import { steps } from './steps.js';
import { type World } from './world.js';

/** What the runner needs of a service: it sends one request over HTTP. */
export interface Service {
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
}

/**
 * Runs all steps in their order, goes on after a step that differs, prints every difference, and sets the exit status of the
 * program to 1 if there is any.
 */
export async function runScript(service: Service, world: World): Promise<Result> {
  const result = await run(steps, service, world);
  process.stdout.write(printed(result));
  if (result.differences.length > 0) process.exitCode = 1;
  return result;
}

async function run(all: readonly (Step | Pause)[], service: Service, world: World): Promise<Result> {
  const now = { date: await world.now() };
  const known = new Known(world, now);
  const differences: Difference[] = [];
  const leftOut: string[] = [];
  let calls = 0;
  for (const [index, step] of all.entries()) {
    now.date = await world.now();
    if ('seconds' in step) {
      await world.pass(step.seconds(known));
      continue;
    }
    const taken = await take(step, service, known);
    calls += taken.calls;
    if (taken.calls === 0 && taken.findings.length === 0) leftOut.push(`${index + 1} ${step.does}`);
    differences.push(
      ...taken.findings.map((finding) => ({ number: index + 1, section: step.section, does: step.does, ...finding })),
    );
  }
  return { calls, differences, leftOut };
}

interface Taken {
  readonly calls: number;
  readonly findings: readonly Finding[];
}

const AGAIN_AFTER = 200;

/** Sends the call of a step, again while it may still become as promised. */
async function take(step: Step, service: Service, known: Known): Promise<Taken> {
  const until = Date.now() + (step.within ?? 0) * 1000;
  let calls = 0;
  for (;;) {
    const once = await takeOnce(step, service, known);
    calls += once.calls;
    if (once.calls === 0 || once.findings.length === 0 || Date.now() >= until) return { ...once, calls };
    await pause(AGAIN_AFTER);
  }
}

async function takeOnce(step: Step, service: Service, known: Known): Promise<Taken> {
  try {
    const call = step.call(known);
    if (call === undefined) return { calls: 0, findings: [] };
    const promised = step.promises(known);
    const copies = step.copies ?? 1;
    const answers = await Promise.all(Array.from({ length: copies }, () => send(call, service, known.world)));
    for (const { body } of answers) keep(step, body, known);
    return { calls: copies, findings: answers.flatMap((answer) => compare(answer, promised)) };
  } catch (error) {
    if (!(error instanceof NotKnown)) throw error;
    return { calls: 0, findings: [value('the call', `the value of ${error.value}`, error.message)] };
  }
}

/** An answer, or why there is none. */
type Received =
  | { readonly status: number; readonly body: unknown }
  | { readonly broken: string; readonly body?: never };

async function send(call: Call, service: Service, world: World): Promise<Received> {
  try {
    const answer = await service.ask(call.method, address(call, world), options(call, world));
    return { status: answer.status, body: answer.body ?? answer.text };
  } catch (error) {
    return { broken: String(error) };
  }
}

function options(call: Call, { partner, plain }: World): AskOptions {
  const { username, password } = partner;
  const basic =
    call.sender === 'userinfo'
      ? `${username}:${password}`
      : call.sender === 'wrong password'
        ? `${username}:not-${password}`
        : undefined;
  return {
    ...(basic === undefined ? {} : { basic }),
    ...(call.json === undefined ? {} : { body: call.json }),
    ...(call.plain === true ? { headers: plain.headers, ...(plain.at === undefined ? {} : { at: plain.at }) } : {}),
  };
}

function address(call: Call, { partner }: World): string {
  const key = call.sender === 'key' ? partner.key : call.sender === 'wrong key' ? `not-${partner.key}` : undefined;
  const query = { ...call.query, ...(key === undefined ? {} : { api_key: key }) };
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    (typeof values === 'string' ? [values] : values).map((one) => `${name}=${written(one)}`),
  );
  if (pairs.length === 0) return call.path;
  return `${call.path}${call.path.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** 4.2: brackets, commas and operators are written as they are, and a space as %20. */
function written(text: string): string {
  return encodeURIComponent(text).replace(/%(?:5B|5D|2C|3C|3E|3D)/g, decodeURIComponent);
}

function compare(received: Received, promised: Promised): readonly Finding[] {
  if ('broken' in received) {
    return promised.mayBreak === true ? [] : [value('the answer', promised.status, received.broken)];
  }
  const { status, body } = received;
  const wrong = promised.allows(status) ? [] : [value('HTTP status', promised.status, `${status} ${shown(body)}`)];
  return wrong.length > 0 ? wrong : promised.body(status)(body, 'body');
}

function value(at: string, expected: string, received: string): Finding {
  return { at, kind: 'value', expected, received };
}

function keep(step: Step, body: unknown, known: Known): void {
  for (const [name, paths] of Object.entries(step.keep ?? {})) {
    const kept = paths
      .split('|')
      .map((path) => at(body, path))
      .find((found) => found !== undefined);
    if (kept !== undefined) known.keep(name, kept);
  }
}

/** The value at a path such as `purchase.coupons.0.id` or `coupons.length`. */
function at(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return key === 'length' ? value.length : (value[Number(key)] as unknown);
    return isObject(value) ? value[key] : undefined;
  }, body);
}
