import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';

/** The rules that keep time and randomness out of a file. */
const RULES = ['no-restricted-globals', 'no-restricted-properties', 'no-restricted-imports', 'no-restricted-syntax'];

type Rules = Linter.RulesRecord;

/** The rules of ESLint's configuration that apply to each of these files. */
function rulesFor(files: readonly string[]): readonly Rules[] {
  const script = `
    import { ESLint } from 'eslint';
    const eslint = new ESLint();
    const configs = await Promise.all(process.argv.slice(1).map((file) => eslint.calculateConfigForFile(file)));
    console.log(JSON.stringify(configs.map(({ rules }) => rules)));`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script, ...files], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  const configured = JSON.parse(run.stdout) as readonly Rules[];
  return configured.map((rules) => Object.fromEntries(Object.entries(rules).filter(([name]) => RULES.includes(name))));
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
  let product: readonly Rules[];
  let elsewhere: readonly Rules[];

  beforeAll(() => {
    const all = rulesFor([...IN_THE_PRODUCT, ...ELSEWHERE]);
    [product, elsewhere] = [all.slice(0, IN_THE_PRODUCT.length), all.slice(IN_THE_PRODUCT.length)];
  });

  const messagesFor = (code: string): readonly string[] => {
    const languageOptions = { ecmaVersion: 'latest', sourceType: 'module' } as const;
    return new Linter().verify(code, { languageOptions, rules: product[0] ?? {} }).map(({ message }) => message);
  };

  it('come through the ports everywhere in the product; the rules apply nowhere else', () => {
    for (const rules of product) {
      expect(Object.keys(rules).sort()).toEqual([...RULES].sort());
      expect(rules).toEqual(product[0]);
    }
    expect(elsewhere).toEqual(ELSEWHERE.map(() => ({})));
  });

  it.each(forbidden)('the rules refuse %s and name the port to use instead', (code, instead) => {
    const messages = messagesFor(code);
    expect(messages).not.toEqual([]);
    for (const message of messages) expect(message).toContain(instead);
  });

  it.each(allowed)('the rules allow %s', (code) => {
    expect(messagesFor(code)).toEqual([]);
  });
});
