import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The calls that read requests, write answers, write files and sync them. */
const WATCHED =
  'trace=read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg,pwrite64,pwritev,pwritev2,fdatasync,fsync,msync,sync_file_range';

/** False when strace is missing or the machine allows no tracing. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
}

/**
 * A command prefix that writes the calls of the process to `file`. The tracer runs beside it: the process is the child.
 * @param watched which calls
 * @param bytes how much of what is read or written: by default a page of the log, and an answer's head
 */
export function tracing(file: string, watched = WATCHED, bytes = 5000): readonly string[] {
  return ['strace', '-D', '-f', '-y', '-s', String(bytes), '-o', file, '-e', watched];
}

/**
 * From now on, makes every sync of one file fail, or kills the process as it begins one.
 * @param fault `error=EIO` or `signal=SIGKILL`
 * @returns a function that stops it
 */
export function faultySyncs(pid: number, file: string, fault: string): Promise<() => Promise<void>> {
  return faultyCalls(pid, file, `fdatasync,fsync:${fault}`);
}

/**
 * From now on, makes calls on one file fail.
 * @param fault the calls, and what becomes of them: `write:error=ENOSPC`
 * @returns a function that stops it
 */
export async function faultyCalls(pid: number, file: string, fault: string): Promise<() => Promise<void>> {
  const args = ['-f', '-p', String(pid), '-P', file, '-o', '/dev/null', '-e', `inject=${fault}`];
  const tracer = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  tracer.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<void>((resolve) => tracer.on('exit', () => resolve()));
  for (let waited = 0; !output.includes('attached'); waited += 20) {
    if (tracer.exitCode !== null || waited > 20_000) throw new Error(`strace does not attach: ${output}`);
    await pause(20);
  }
  return async () => {
    tracer.kill('SIGINT');
    await exited;
  };
}

/** One call of the process, as strace saw it. */
export interface Call {
  readonly thread: number;
  readonly name: string;
  /** The file or socket of its first argument, such as `/data/events.db-wal` or `socket:[123]`. */
  readonly file: string;
  /** Its arguments as strace prints them, with what was read or written. */
  readonly text: string;
  readonly result: number;
  /** The order in which strace saw calls begin and return: a thread continues only after that. */
  readonly began: number;
  readonly returned: number;
}

/** Reads a trace once the traced process has ended, in the order of the returns. Calls that never returned are left out. */
export async function callsOf(file: string): Promise<readonly Call[]> {
  return (await traceOf(file)).calls;
}

/** The same, with the calls that never returned: the process was killed in them. Their result is NaN. */
export async function traceOf(
  file: string,
): Promise<{ readonly calls: readonly Call[]; readonly unended: readonly Call[] }> {
  for (let waited = 0; !(existsSync(file) && ended(readFileSync(file, 'latin1'))); waited += 50) {
    if (waited > 20_000) throw new Error(`the trace ${file} has no end`);
    await pause(50);
  }
  const calls: Call[] = [];
  const unended: Call[] = [];
  const add = (thread: number, name: string, text: string, began: number, returned: number): void => {
    const result = /\) += (-?\d+|\?)[^"]*$/.exec(text)?.[1];
    if (result === '?') unended.push(unendedCall(thread, name, text, began));
    else if (result !== undefined)
      calls.push({ thread, name, file: fileOf(text), text: unescaped(text), result: Number(result), began, returned });
  };
  const open = new Map<number, { name: string; text: string; began: number }>();
  readFileSync(file, 'latin1')
    .split('\n')
    .forEach((line, place) => {
      const parsed = /^(\d+) +(.*)$/.exec(line);
      if (parsed === null) return;
      const [thread, rest = ''] = [Number(parsed[1]), parsed[2]];
      const resumed = /^<\.\.\. (\w+) resumed>(.*)$/.exec(rest);
      const begun = /^(\w+)\((.*) <unfinished \.\.\.>$/.exec(rest);
      const whole = /^(\w+)\((.*)$/.exec(rest);
      if (resumed !== null) {
        const before = open.get(thread);
        open.delete(thread);
        if (before !== undefined) add(thread, before.name, before.text + (resumed[2] ?? ''), before.began, place);
      } else if (begun !== null) {
        open.set(thread, { name: begun[1] ?? '', text: begun[2] ?? '', began: place });
      } else if (whole !== null) {
        add(thread, whole[1] ?? '', whole[2] ?? '', place, place);
      }
    });
  for (const [thread, { name, text, began }] of open) unended.push(unendedCall(thread, name, text, began));
  return { calls, unended };
}

/** The end of the main thread, whose id is the process's and is in the first line. */
function ended(trace: string): boolean {
  const main = /^(\d+) /.exec(trace)?.[1];
  return main !== undefined && new RegExp(`^${main} +\\+\\+\\+ (exited|killed)`, 'm').test(trace);
}

function unendedCall(thread: number, name: string, text: string, began: number): Call {
  return { thread, name, file: fileOf(text), text: unescaped(text), result: NaN, began, returned: Infinity };
}

/** The file or socket of the first argument. */
function fileOf(text: string): string {
  return /^\d+<([^>]*)>/.exec(text)?.[1] ?? '';
}

/** Undoes C's escapes, so that written bytes can be searched. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{1,3}|.)/g, (_, escape: string) => {
    if (/^[0-7]/.test(escape)) return String.fromCharCode(parseInt(escape, 8));
    return { n: '\n', r: '\r', t: '\t', v: '\v', f: '\f' }[escape] ?? escape;
  });
}
