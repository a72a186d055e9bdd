import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import type { AppendLoop } from '../../../../test/support/append-loop.js';
import { ON_DISK } from '../../../../test/support/temp-folder.js';

const program = fileURLToPath(new URL('../../../../test/support/append-loop.js', import.meta.url));
const node = [process.execPath, '--disable-warning=ExperimentalWarning', program];

const strace = process.platform === 'linux' && spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const withStrace = strace ? it : it.skip;
if (!strace) {
  process.stderr.write(
    '\nNOT PROVED HERE: that appends are synced before they are answered (there is no working strace)\n\n',
  );
}

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(ON_DISK, 'holdfast-log-'));
  file = join(dir, 'log.db');
});

afterEach(() => rmSync(dir, { recursive: true }));

interface Run {
  readonly lines: string[][];
  readonly signal: string | null;
}

/** Runs the appending program to its end; `until` may kill it on the way. */
async function run(
  loop: Omit<AppendLoop, 'file'>,
  tracer: string[] = [],
  until?: (child: ChildProcess, output: string) => void,
): Promise<Run> {
  const [command, ...parameters] = [...tracer, ...node, JSON.stringify({ file, ...loop })];
  const child = spawn(command, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    until?.(child, output);
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  // The kill cut off the last line.
  const lines = output.slice(0, output.lastIndexOf('\n') + 1).split('\n');
  return { lines: lines.filter((line) => line !== '').map((line) => line.split(' ')), signal };
}

/** How many of its lists each caller got an answer for. */
function acknowledged({ lines }: Run, callers: number): number[] {
  return Array.from(
    { length: callers },
    (_, caller) => lines.filter(([word, of]) => word === 'ack' && Number(of) === caller).length,
  );
}

/** How many events the streams hold after the restart. */
async function stored(kind: 'decision' | 'follower', callers: number): Promise<number[]> {
  const log = await EmbeddedLog.open({ file });
  const counts: number[] = [];
  for (let caller = 0; caller < callers; caller++) {
    const events = await log.readStream(`${kind}-${caller}`, 0, 1_000_000);
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, revision) => revision));
    counts.push(events.length);
  }
  await log.close();
  return counts;
}

/** How many events are durable, while the log may be open. */
function eventsOnDisk(): number {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(db.prepare('SELECT count(*) AS count FROM events').get()?.['count']);
  } finally {
    db.close();
  }
}

describe('the embedded log when its process is killed', () => {
  it('has everything that was acknowledged, and every decision with its follower', async () => {
    const callers = 8;
    const killed = await run({ callers }, [], (child, output) => {
      if (output.length > 4_000) child.kill('SIGKILL');
    });
    expect(killed.signal).toBe('SIGKILL');
    const counts = acknowledged(killed, callers);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    const decisions = await stored('decision', callers);
    // At most the one list under way comes on top.
    for (const [caller, count] of counts.entries()) {
      expect([count, count + 1]).toContain(decisions[caller]);
    }
    expect(await stored('follower', callers)).toEqual(decisions);
  });

  it.each([
    { splitAppends: false, afterAppend: 0, acks: 0, decisions: 0, followers: 0 },
    { splitAppends: false, afterAppend: 3, acks: 2, decisions: 3, followers: 3 },
    { splitAppends: true, afterAppend: 0, acks: 0, decisions: 0, followers: 0 },
    { splitAppends: true, afterAppend: 3, acks: 1, decisions: 2, followers: 1 },
    { splitAppends: true, afterAppend: 4, acks: 1, decisions: 2, followers: 2 },
  ])(
    'dies at its failpoint: $afterAppend durable, split $splitAppends',
    async ({ splitAppends, afterAppend, acks, decisions, followers }) => {
      const dead = await run({ callers: 1, lists: 10, splitAppends, failpoint: { afterAppend } });
      expect(dead.signal).toBe('SIGKILL');
      expect(acknowledged(dead, 1)).toEqual([acks]);
      expect(await stored('decision', 1)).toEqual([decisions]);
      expect(await stored('follower', 1)).toEqual([followers]);
    },
  );

  it('waits at its failpoint after the appends that a file names, until it may go on', async () => {
    writeFileSync(`${file}-hold`, '0,3');
    const found: (readonly [string, number])[] = [];
    const looking = setInterval(() => {
      // What it said before it waits may still be on its way.
      if (!existsSync(`${file}-held`) || (found.length === 1 && said === '')) return;
      found.push([said, eventsOnDisk()]);
      rmSync(`${file}-held`);
    }, 20);
    let said = '';
    const loop = { callers: 1, lists: 3, splitAppends: true, failpoint: 'held' } as const;
    const { lines } = await run(loop, [], (_, text) => (said = text));
    clearInterval(looking);
    expect(found).toEqual([
      ['', 0],
      ['ack 0 0\n', 3],
    ]);
    expect(lines).toHaveLength(3);
  });
});

describe('the embedded log at its start', () => {
  // What the last process left in the WAL may be only in the system's cache, even marked as clean after a failed sync.
  withStrace('writes what it finds in the WAL again and syncs it before it copies anything from there', async () => {
    await run({ callers: 1 }, [], (child, output) => {
      if (output.length > 100) child.kill('SIGKILL');
    });
    const trace = join(dir, 'trace');
    const calls = ['-e', 'trace=fsync,fdatasync,pwrite64'];
    await run({ callers: 1, lists: 0 }, ['strace', '-f', '-qq', '-y', '-o', trace, ...calls]);
    const steps = readFileSync(trace, 'utf8')
      .split('\n')
      .map((line) => /(pwrite|sync).*?<[^>]*\/([^/>]+)>/.exec(line)?.slice(1).join(' '))
      .filter((step, index, all) => step !== undefined && step !== all[index - 1]);
    const folder = dir.slice(dir.lastIndexOf('/') + 1);
    expect(steps.filter((step) => !step?.endsWith('-shm')).slice(0, 5)).toEqual([
      'pwrite log.db-wal',
      'sync log.db-wal',
      'sync log.db',
      `sync ${folder}`,
      'sync log.db-wal',
    ]);
    expect(steps.indexOf('pwrite log.db')).toBeGreaterThan(steps.indexOf('sync log.db-wal'));
    expect(steps.lastIndexOf('sync log.db')).toBeGreaterThan(steps.indexOf('pwrite log.db'));
  });
});

/** Runs a program with faults injected into its system calls. */
function failing(fault: string): string[] {
  return [
    'strace',
    '-f',
    '-qq',
    '-o',
    join(dir, 'trace'),
    '-e',
    'trace=fsync,fdatasync,pwrite64',
    '-e',
    `inject=${fault}`,
  ];
}

describe('the embedded log and the disk', () => {
  withStrace('answers an append only after the sync of its WAL has returned', async () => {
    const trace = join(dir, 'trace');
    const lists = 6;
    const tracer = ['strace', '-f', '-y', '-o', trace, '-e', 'trace=fsync,fdatasync,write'];
    expect(acknowledged(await run({ callers: 1, lists }, tracer), 1)).toEqual([lists]);
    const lines = readFileSync(trace, 'utf8').split('\n');
    let synced = 0;
    let acks = 0;
    const unfinished = new Set<string>();
    for (const line of lines) {
      const thread = line.split(' ', 1)[0] ?? '';
      if (/f(data)?sync\(\d+<[^>]*log\.db-wal>/.test(line)) {
        if (line.includes('unfinished')) unfinished.add(thread);
        else if (line.endsWith('= 0')) synced += 1;
      } else if (/f(data)?sync resumed/.test(line) && unfinished.delete(thread) && line.endsWith('= 0')) {
        synced += 1;
      } else if (/write\(1<.*"ack /.test(line)) {
        acks += 1;
        expect(synced).toBeGreaterThan(0);
        synced = 0;
      }
    }
    expect(acks).toBe(lists);
  });

  withStrace('takes no more appends after a sync that failed, repeats nothing, and goes on reading', async () => {
    const callers = 4;
    const failed = await run({ callers, lists: 2_000 }, failing('fsync,fdatasync:error=EIO:when=20+'));
    const counts = acknowledged(failed, callers);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    const linesWith = (word: string): string[][] => failed.lines.filter(([first]) => first === word);
    expect(linesWith('failed')[0]?.slice(0, 2)).toEqual(['failed', String(callers)]);
    expect(linesWith('failed')[0]?.join(' ')).toContain('takes no more appends (disk I/O error)');
    expect(linesWith('told')).toEqual([['told', '1']]);
    expect(linesWith('later')).toEqual([['later', 'LogFailed']]);
    // No reader saw an event that was not durable.
    expect(linesWith('shown')).toEqual(counts.map((count, caller) => ['shown', String(caller), String(count)]));
    for (const [caller, count] of (await stored('decision', callers)).entries()) {
      expect([counts[caller], (counts[caller] ?? 0) + 1]).toContain(count);
    }
  });

  // One of the 20th and 21st syncs is for a decision, the other for a follower.
  withStrace.each([20, 21])(
    'knows what was durable when each append has its own sync and sync %i fails',
    async (sync) => {
      const failed = await run(
        { callers: 1, lists: 2_000, splitAppends: true },
        failing(`fsync,fdatasync:error=EIO:when=${sync}+`),
      );
      const [count = 0] = acknowledged(failed, 1);
      expect(count).toBeGreaterThan(0);
      // A decision before its follower's failure is answered and seen.
      expect(failed.lines).toContainEqual(['shown', '0', String(count)]);
      expect(failed.lines).toContainEqual(['later', 'LogFailed']);
      expect([count, count + 1]).toContain((await stored('decision', 1))[0]);
    },
  );

  withStrace.each([
    ["the checkpointer's thread", 'pwrite64:error=EIO', '(a checkpoint failed: disk I/O error)'],
    // The first sync of the file itself is the one at the start.
    ["the writer's share of it", 'fsync,fdatasync:error=EIO:when=2+', 'disk I/O error)'],
  ])('takes no more appends after a checkpoint failed in %s', async (_, fault, reason) => {
    const failed = await run({ callers: 2, lists: 1_000, size: 50_000 }, [
      'strace',
      '-P',
      file,
      ...failing(fault).slice(1),
    ]);
    const words = failed.lines.map((line) => line.join(' '));
    expect(words).toContainEqual(expect.stringContaining(reason));
    expect(words).toContain('told 1');
    expect(words).toContain('later LogFailed');
    const counts = acknowledged(failed, 2);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    for (const [caller, count] of (await stored('decision', 2)).entries()) {
      expect(count).toBeGreaterThanOrEqual(counts[caller] ?? 0);
    }
  });
});
