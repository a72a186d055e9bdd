import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningService, type Json } from '../support/running-service.js';
import { TABLE } from './conventions.table.js';

const hasShell = ['bash', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0);
const withShell = hasShell ? it : it.skip;
if (!hasShell) process.stderr.write('This machine has no bash or curl: the lines of docs/partners.md DID NOT RUN.\n');

/** The lines of curl on the page, in its order. */
function curlLines(): readonly string[] {
  const blocks = [...readFileSync('docs/partners.md', 'utf8').matchAll(/```sh\n(.*?)```/gs)];
  return blocks.flatMap(([, block]) => (block ?? '').trim().split(/\n(?=curl)/));
}

/** The ids in an answer that later lines of the page stand for. */
function idsIn({
  purchase,
  card_link,
  batch,
  access_token,
  access_tokens,
  ...sold
}: Json): Readonly<Record<string, string>> {
  const coupon = purchase?.coupons?.[0] ?? sold.coupons?.[0];
  const found = {
    coupon_id: coupon,
    card_link_id: card_link,
    batch_id: batch,
    id: access_token,
    token_id: access_tokens?.[0],
  };
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, thing]) => (thing === undefined ? [] : [[`<${name}>`, String(thing.id)]])),
  );
}

describe('docs/partners.md', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start({ env: { DEMO: 'true' } });
  });
  afterAll(() => service.discard());

  it('names every call of partners, and no other', () => {
    const rows = readFileSync('docs/partners.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| '));
    const named = rows.flatMap((row) =>
      [...row.matchAll(/`((?:GET|POST|PUT|DELETE) [^`]+)`/g)].map(([, call]) => call),
    );
    const calls = Object.entries(TABLE).flatMap(([route, { who }]) => (/^partner/.test(who) ? [route] : []));
    expect(named.toSorted()).toEqual(calls.toSorted());
  });

  withShell('has lines of curl that all succeed with the demo, one after the other', () => {
    const lines = curlLines();
    expect(lines.length).toBeGreaterThan(10);
    const ids: Record<string, string> = { '<email>': 'grace@example.com' };
    const before = `set -a; . ${join(service.dataDir, 'demo.env')}; HOLDFAST=${service.url}`;
    for (const line of lines) {
      const filled = line.replace(/<[a-z_]+>/g, (name) => ids[name] ?? name);
      const printed = execFileSync('bash', ['-c', `${before}\n${filled} --fail-with-body`], { encoding: 'utf8' });
      const body: Json = JSON.parse(printed);
      expect([line, body.status ?? 'success']).toEqual([line, 'success']);
      Object.assign(ids, idsIn(body));
    }
  });
});
