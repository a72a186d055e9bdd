import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedState } from '#adapters/embedded';

const child = fileURLToPath(new URL('../../../../test/support/embedded-state.child.js', import.meta.url));
const master = (): Buffer => Buffer.alloc(32, 1);
const record = (index: string) => ({ credential: 'partner:acme', key: `order-${index}` });

describe('the state database and its process', () => {
  let folder: string;
  let file: string;
  const opened: EmbeddedState[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'crash-'));
    file = join(folder, 'state.db');
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((state) => state.close()));
    rmSync(folder, { recursive: true });
  });

  async function open(): Promise<EmbeddedState> {
    const state = await EmbeddedState.open(file, master);
    opened.push(state);
    return state;
  }

  /** Runs the child until it ends, or kills it after this many lines; returns its output. */
  async function run(command: string, args: string[], killAfter = Infinity): Promise<string[][]> {
    const running = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(running, 'close');
    const lines: string[][] = [];
    for await (const line of createInterface({ input: running.stdout })) {
      lines.push(line.split(' '));
      if (lines.length === killAfter) running.kill('SIGKILL');
    }
    await exit;
    return lines;
  }

  it.each([3, 60, 400])('A11: after kill -9 everything acknowledged is there (after %d lines)', async (count) => {
    const printed = await run(process.execPath, [child, file, 'work'], count);
    expect(printed.length).toBeGreaterThanOrEqual(count);
    const about = (word: string): Set<string> =>
      new Set(printed.filter(([each]) => each === word).map(([, n = '']) => n));
    const [kept, destroyed] = [about('kept'), about('destroyed')];
    const state = await open();
    for (const [word, index = '', key = ''] of printed) {
      if (word === 'obtained') {
        const found = (await state.keys.get(`person-${index}`))?.toString('hex');
        // A key that was about to be destroyed may be gone without an output line.
        if (destroyed.has(index)) expect(found).toBeUndefined();
        else if (found !== undefined || Number(index) % 3 !== 0) expect(found).toBe(key);
      }
      if (word === 'sealed') expect((await state.vault.get(`card-${index}`))?.toString()).toBe(`secret ${index}`);
      if (word === 'began') {
        const begun = await state.records.begin(record(index), 'f', 'another', Date.now());
        if (kept.has(index)) expect(begun).toEqual({ kind: 'kept', answer: Buffer.from(`yes ${index}`) });
        else expect(['running', 'kept']).toContain(begun.kind);
      }
    }
    await state.close();
  });

  // Windows has no limit of this kind.
  (process.platform === 'win32' ? it.skip : it)(
    'a write that fails is final for the process; what was acknowledged before it is there',
    async () => {
      const printed = await run('sh', ['-c', 'ulimit -f 1000; exec "$@"', 'sh', process.execPath, child, file, 'fill']);
      const kept = printed.filter(([word]) => word === 'kept').map(([, index = '']) => index);
      expect(kept.length).toBeGreaterThan(3);
      expect(printed.slice(kept.length).map((words) => words.join(' '))).toEqual([
        'failed StoreFailed',
        `then${' StoreFailed'.repeat(9)}`,
        'told StoreFailed',
        'closed',
      ]);
      const state = await open();
      for (const index of kept) {
        const begun = await state.records.begin(record(index), 'f', 'another', Date.now());
        expect(begun).toEqual({ kind: 'kept', answer: Buffer.alloc(20_000, Number(index)) });
      }
      await state.close();
    },
  );
});
