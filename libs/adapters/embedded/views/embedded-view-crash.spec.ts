import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedViewReaders, EmbeddedViewStore } from '#adapters/embedded';
import { ne } from '#eventsourcing';
import { STEADY_LOG, STEADY_ROWS, steadyView } from '../../../../test/support/steady-view.js';

const program = fileURLToPath(new URL('../../../../test/support/steady-view-writer.js', import.meta.url));

describe('embedded views beside a writer at full speed', () => {
  let folder: string;
  let child: ChildProcess | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-views-'));
  });

  afterEach(async () => {
    await kill();
    rmSync(folder, { recursive: true });
  });

  /** Starts the writer and waits for its first writes. */
  async function start(): Promise<void> {
    child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout?.resume();
    if (child.stdout) await once(child.stdout, 'data');
  }

  async function kill(): Promise<void> {
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    child = undefined;
  }

  // The checkpoint and all rows are one transaction: after a kill at any time they belong to the same write.
  it('keeps rows and checkpoint together through kill -9', async () => {
    let before = 0n;
    for (const milliseconds of [5, 20, 45, 80]) {
      await start();
      await pause(milliseconds);
      await kill();
      const store = EmbeddedViewStore.open(folder);
      const [left] = await store.generations(steadyView, STEADY_LOG);
      if (left === undefined) {
        await store.close();
        continue;
      }
      const writer = await store.open(steadyView, left.number);
      const checkpoint = await writer.checkpoint();
      expect(checkpoint).toEqual(left.checkpoint);
      const rows = await writer.load(Array.from({ length: STEADY_ROWS }, (_, index) => `row-${index}`));
      await store.close();
      expect(new Set([...rows.values()].map(({ position }) => position))).toEqual(new Set([checkpoint?.position]));
      expect(rows.size).toBe(STEADY_ROWS);
      expect(checkpoint?.position).toBeGreaterThan(before);
      before = checkpoint?.position ?? 0n;
    }
    expect(before).toBeGreaterThan(0n);
  });

  // Reads in one turn see one state, whatever is written meanwhile. Readers that never pause must not keep the write-ahead
  // log from starting again, or it grows until the disk is full.
  it('reads one state at a time, and lets the write-ahead log start again', async () => {
    await start();
    const readers = EmbeddedViewReaders.open(folder);
    const reader = readers.reader(steadyView);
    while ((await reader.position()) === 0n) await pause(5);
    const live = (JSON.parse(readFileSync(join(folder, 'steady.v1.live'), 'utf8')) as { live: number }).live;
    const positions = new Set<bigint>();
    let longest = 0;
    let shortenings = 0;
    let size = 0;
    // A busy machine needs long for two of them.
    const end = Date.now() + 240_000;
    while ((shortenings < 2 || positions.size < 20) && Date.now() < end) {
      for (let turn = 0; turn < 20; turn += 1) {
        const [position, row, all, least, part] = await Promise.all([
          reader.position(),
          reader.get('row-7'),
          reader.count(ne('write', -1)),
          reader.min('write', ne('write', null)),
          reader.min('parts', ne('parts', 0)),
        ]);
        const write = Number(position);
        expect([row?.row.write, all, least, part]).toEqual([write, STEADY_ROWS, write, -write]);
        positions.add(position);
      }
      const now = statSync(join(folder, `steady.v1.g${live}.db-wal`)).size;
      if (now < size) shortenings += 1;
      size = now;
      longest = Math.max(longest, now);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await readers.close();
    expect(shortenings).toBeGreaterThanOrEqual(2);
    expect(positions.size).toBeGreaterThanOrEqual(20);
    expect(longest).toBeLessThan(96 * 1024 * 1024);
  });
});
