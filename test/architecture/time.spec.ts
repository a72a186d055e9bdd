import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../support/temp-folder.js';

/** The rules that keep time and randomness out of a file. */
const RULES = ['no-restricted-globals', 'no-restricted-properties', 'no-restricted-imports', 'own-time'];

/** What the linter says about these files, with the project's configuration: for each, the words of those rules. */
function lint(files: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  const { path: folder, remove } = tempFolder();
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
  const root = resolve(import.meta.dirname, '../../..');
  const config = `import config from ${JSON.stringify(join(root, 'oxlint.config.ts'))};
    const jsPlugins = config.jsPlugins.map((path) => ${JSON.stringify(`${root}/`)} + path);
    export default { ...config, jsPlugins, options: {} };`;
  writeFileSync(join(folder, 'oxlint.config.ts'), config);
  const program = join(root, 'node_modules/oxlint/bin/oxlint');
  const run = spawnSync(process.execPath, [program, '-f', 'json'], { cwd: folder, encoding: 'utf8' });
  remove();
  const { diagnostics } = JSON.parse(run.stdout) as {
    readonly diagnostics: readonly {
      readonly code: string;
      readonly filename: string;
      message: string;
      help?: string;
    }[];
  };
  const found: Record<string, string[]> = Object.fromEntries(Object.keys(files).map((path) => [path, []]));
  for (const { code, filename, message, help = '' } of diagnostics)
    if (RULES.some((rule) => code.endsWith(`(${rule})`))) found[filename]?.push(`${message} ${help}`);
  return found;
}

const IN_THE_PRODUCT = [
  'apps/api/main.ts',
  'libs/adapters/embedded/log/log-file.ts',
  'libs/eventsourcing/command-loop/command-loop.ts',
  'libs/http/server.ts',
  'libs/kernel/decider.ts',
  'libs/command-line/run-command-line.ts',
  'libs/people/user/passwords.ts',
  'libs/platform/projector/projector.thread.ts',
  'libs/purchasing/inventory/inventory.decider.ts',
];
const ELSEWHERE = [
  'libs/adapters/machine/this-machine.ts',
  'libs/http/call.spec.ts',
  'scripts/run.mjs',
  'test/support/tally.ts',
];

const TIME = 'libs/eventsourcing/ports/time.ts';
const RANDOMNESS = 'libs/eventsourcing/ports/randomness.ts';

const forbidden: readonly (readonly [code: string, instead: string])[] = [
  ['setTimeout(work, 1)', TIME],
  ['setInterval(work, 1)', TIME],
  ['setImmediate(work)', TIME],
  ['clearTimeout(timer)', TIME],
  ['clearInterval(timer)', TIME],
  ['clearImmediate(timer)', TIME],
  ['const wait = setTimeout', TIME],
  ['globalThis.setTimeout(work, 1)', TIME],
  ["globalThis['setInterval'](work, 1)", TIME],
  ['global.setImmediate(work)', TIME],
  ["import { setTimeout as pause } from 'node:timers/promises'", TIME],
  ["import timers from 'timers/promises'", TIME],
  ["import { setTimeout } from 'node:timers'", TIME],
  ["export { setTimeout } from 'timers'", TIME],
  ["await import('node:timers/promises')", TIME],
  ['AbortSignal.timeout(1)', TIME],
  ['Date.now()', TIME],
  ['const now = Date.now', TIME],
  ['const { now } = Date', TIME],
  ['new Date()', TIME],
  ['Date()', TIME],
  ['DateTime.now()', TIME],
  ['DateTime.local()', TIME],
  ['DateTime.utc()', TIME],
  ['performance.now()', TIME],
  ['performance.timeOrigin', TIME],
  ['globalThis.performance.now()', TIME],
  ["import { performance } from 'node:perf_hooks'", TIME],
  ["import { performance } from 'perf_hooks'", TIME],
  ["await import('node:perf_hooks')", TIME],
  ['process.hrtime()', TIME],
  ['process.hrtime.bigint()', TIME],
  ['process.uptime()', TIME],
  ["import { hrtime } from 'node:process'", TIME],
  ["import { uptime } from 'process'", TIME],
  ["import process from 'node:process'", TIME],
  ['Math.random()', RANDOMNESS],
  ['const { random } = Math', RANDOMNESS],
  ['crypto.randomUUID()', RANDOMNESS],
  ['crypto.getRandomValues(bytes)', RANDOMNESS],
  ['globalThis.crypto.randomUUID()', RANDOMNESS],
  ["import { randomUUID } from 'node:crypto'", RANDOMNESS],
  ["import { randomUUID as id } from 'crypto'", RANDOMNESS],
  ["import { randomBytes } from 'node:crypto'", RANDOMNESS],
  ["import { randomInt } from 'node:crypto'", RANDOMNESS],
  ["import { randomFill } from 'node:crypto'", RANDOMNESS],
  ["import { randomFillSync } from 'node:crypto'", RANDOMNESS],
  ["import { getRandomValues } from 'node:crypto'", RANDOMNESS],
  ["import { webcrypto } from 'node:crypto'", RANDOMNESS],
  ["import { generateKeySync } from 'node:crypto'", RANDOMNESS],
  ["import { generateKeyPairSync } from 'node:crypto'", RANDOMNESS],
  ["import { generatePrimeSync } from 'node:crypto'", RANDOMNESS],
  ["import crypto from 'node:crypto'", RANDOMNESS],
  ["import * as crypto from 'node:crypto'", RANDOMNESS],
  ["await import('node:crypto')", RANDOMNESS],
];

const allowed = [
  'new Date(0)',
  'Date.parse(text)',
  'Math.max(1, 2)',
  'time.pause(1)',
  'time.monotonic()',
  'clock.now()',
  'process.pid',
  'signal.aborted',
  'DateTime.utc(2026, 1, 1)',
  "import { createHash, createHmac, timingSafeEqual } from 'node:crypto'",
  "import { pid } from 'node:process'",
];

describe('time, timers and randomness', () => {
  const file = (kind: string, at: number): string => `libs/kernel/${kind}-${at}.ts`;
  let found: ReturnType<typeof lint>;

  beforeAll(() => {
    found = lint({
      ...Object.fromEntries([...IN_THE_PRODUCT, ...ELSEWHERE].map((path) => [path, 'Math.random();'])),
      ...Object.fromEntries(forbidden.map(([code], at) => [file('forbidden', at), code])),
      ...Object.fromEntries(allowed.map((code, at) => [file('allowed', at), code])),
    });
  });

  it('come through the ports everywhere in the product; the rules apply nowhere else', () => {
    for (const path of IN_THE_PRODUCT) expect([path, found[path]?.length]).toEqual([path, 1]);
    for (const path of ELSEWHERE) expect([path, found[path]]).toEqual([path, []]);
  });

  it.each(forbidden.map(([code, instead], at) => [code, instead, at] as const))(
    'the rules refuse %s and name the port to use instead',
    (_, instead, at) => {
      const messages = found[file('forbidden', at)] ?? [];
      expect(messages).not.toEqual([]);
      for (const message of messages) expect(message).toContain(instead);
    },
  );

  it.each(allowed.map((code, at) => [code, at] as const))('the rules allow %s', (_, at) => {
    expect(found[file('allowed', at)]).toEqual([]);
  });
});
