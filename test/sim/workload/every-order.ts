import type { Answer, Request } from '../world/installation.js';
import { OPERATOR } from '../world/service-process.js';
import type { Json } from './doing.js';
import type { Partner } from './known.js';
import type { Workload } from './workload.js';

/** How often an operator looks whether a build is ready, in milliseconds of the world. */
const LOOK_EVERY = 500;
/** How often they look. */
const LOOKS = 600;
/** Views that are built again at the end: one that people read, and a work list. */
const REBUILT = ['coupons', 'hold-expiry'];

/**
 * Sends each order of an operator about credentials and projections, once nothing fails any more: each must succeed, and do what
 * it says.
 */
export async function everyOrder(workload: Workload): Promise<void> {
  const [partner] = workload.known.partners;
  if (partner === undefined) throw new Error('the world has no partner');
  await checkKeys(workload, partner);
  await checkTokens(workload);
  for (const view of REBUILT) await checkRebuild(workload, view);
}

/** Gives a partner a new v3 password; without it nobody knows the last one, if its answer was lost. */
export async function renewPassword(workload: Workload, partner: Partner): Promise<void> {
  partner.basic.password = await secretIn(workload, `/partners/${partner.id}/password`, 'password');
}

/** A new key works until it is revoked. */
async function checkKeys(workload: Workload, { id }: Partner): Promise<void> {
  const made = await secret(workload, `/partners/${id}/keys`, 'api_key');
  const headers = { 'x-api-key': made['api_key'] as string };
  const request: Request = { method: 'GET', path: '/regions', credential: { token: '' }, headers };
  await workload.insist(request);
  await ask(workload, 'DELETE', `/partners/${id}/keys/${made['key_id'] as string}`);
  await stopsWorking(workload, request);
}

/** A token of an auditor works until it is revoked, and only for what auditors may do. */
async function checkTokens(workload: Workload): Promise<void> {
  const made = await secret(workload, '/tokens', 'token', { name: 'the last', role: 'auditor' });
  const credential = { token: made['token'] as string };
  const read: Request = { method: 'GET', path: '/operators/tokens', credential };
  await workload.insist(read);
  const order: Request = {
    method: 'POST',
    path: '/operators/tokens',
    credential,
    body: { name: 'a', role: 'operator' },
  };
  await workload.insist(order, 'by an auditor', ({ status }) => status === 403);
  await ask(workload, 'DELETE', `/tokens/${made['id'] as string}`);
  await stopsWorking(workload, read);
}

/** A rebuild becomes ready, is promoted, gives way to the older one again, and is gone when it was dropped. */
async function checkRebuild(workload: Workload, view: string): Promise<void> {
  const path = `/projections/${view}`;
  await until(workload, view, `no build of ${view}`, (all) => all.every(({ state }) => state !== 'building'));
  const before = (await generations(workload, view)).find(({ state }) => state === 'live');
  if (before === undefined) throw new Error(`the view ${view} has no live generation`);
  const number = (await ask(workload, 'POST', `${path}/rebuild`))['generation'] as unknown as number;
  const becomes = (what: string): Promise<void> =>
    until(workload, view, `generation ${number} of ${view} ${what}`, (all) =>
      all.some((each) => each.number === number && each.state === what),
    );
  await becomes('ready');
  await ask(workload, 'POST', `${path}/generations/${number}/promote`);
  await becomes('live');
  await ask(workload, 'POST', `${path}/generations/${before.number}/promote`);
  await becomes('ready');
  await ask(workload, 'DELETE', `${path}/generations/${number}`);
  await until(workload, view, `generation ${number} of ${view} gone`, (all) =>
    all.every((each) => each.number !== number),
  );
}

interface Shown {
  readonly number: number;
  readonly state: string;
}

async function generations(workload: Workload, view: string): Promise<readonly Shown[]> {
  const shown = await ask(workload, 'GET', `/projections/${view}/generations`);
  return shown['generations'] as unknown as readonly Shown[];
}

/** Looks until the generations of a view are so. @throws Error that says what never came */
async function until(
  workload: Workload,
  view: string,
  what: string,
  isSo: (all: readonly Shown[]) => boolean,
): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (isSo(await generations(workload, view))) return;
    await workload.wait(LOOK_EVERY);
  }
  throw new Error(`an operator waits in vain for ${what}`);
}

async function ask(workload: Workload, method: Request['method'], path: string, body?: object): Promise<Json> {
  const request: Request = { method, path: `/operators${path}`, credential: { token: OPERATOR } };
  return JSON.parse((await workload.insist({ ...request, ...(body && { body }) })).text) as Json;
}

/** Makes something with a secret. A repeated answer does not show it: then another one is made. */
async function secret(workload: Workload, path: string, name: string, body: object = {}): Promise<Json> {
  for (;;) {
    const made = await ask(workload, 'POST', path, body);
    if (made[name] !== undefined) return made;
  }
}

async function secretIn(workload: Workload, path: string, name: string): Promise<string> {
  return (await secret(workload, path, name))[name] as string;
}

/** Looks until a credential is refused: another process must have heard first that it was revoked. */
async function stopsWorking(workload: Workload, request: Request): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    const { status } = await workload.insist(request, 'with a revoked credential', isSuccessOrRefused);
    if (status === 401) return;
    await workload.wait(LOOK_EVERY);
  }
  throw new Error(`a revoked credential still works: ${request.path}`);
}

const isSuccessOrRefused = ({ status }: Answer): boolean => status < 300 || status === 401;
