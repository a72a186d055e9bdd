import childProcess, { type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';

/** What a host runs next: a program's file, and its whole environment. */
export interface Order {
  readonly main: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of a command, which ends once its file has run; undefined: of a service, which ends itself. */
  readonly args?: readonly string[];
}

/** A host prints this on both streams when its program has ended, followed by its exit code and the end of the line. */
export const ENDED = '\0ended ';

/** Milliseconds; a host without a program ends after some more. */
const IDLE = 10_000;
/** A program leaves a little memory behind. */
const MOST_RUNS = 20;

/**
 * Settings of V8 for processes that live for seconds beside others that need the processors as well: no help from other threads
 * when memory is freed, and a young generation (in MB) that need not grow first. A start in a host needs a tenth less time.
 */
const FOR_A_SHORT_LIFE = ['--single-threaded-gc', '--min-semi-space-size=16'];

/** A process that runs one program after another. */
export interface Host {
  readonly child: ChildProcess;
  runs: number;
  idleSince: number;
}

/**
 * Hosts without a program. Jest loads this file anew for each spec; Node's own modules stay, so the hosts are kept there for the
 * next spec.
 */
const SHARED = Symbol.for('holdfast: idle hosts');
const idle = ((childProcess as unknown as Record<symbol, Host[] | undefined>)[SHARED] ??= []);

/**
 * A process that runs this program. It may have run others, which ended in order: most of a start is loading, and a host has
 * already loaded.
 */
export function hostFor(order: Order): Host {
  const host = idleHost() ?? { child: newProcess(), runs: 0, idleSince: 0 };
  host.runs += 1;
  for (const each of handlesOf(host)) each.ref();
  host.child.send(order);
  return host;
}

/** The program of this host has ended. */
export function giveBack(host: Host): void {
  const { child } = host;
  for (const event of ['exit', 'error']) child.removeAllListeners(event);
  // It does not keep the test alive.
  for (const each of handlesOf(host)) each.unref();
  if (host.runs < MOST_RUNS) idle.push(Object.assign(host, { idleSince: performance.now() }));
  else child.kill('SIGKILL');
}

/**
 * Reads what a program in a host prints on a stream.
 * @returns its exit code, once it has ended; the stream is then read no more
 */
export function readToEnd(stream: Readable | null, print: (text: string) => void): Promise<number> {
  let last = '';
  return new Promise((resolvePromise) => {
    const read = (chunk: Buffer): void => {
      const text = last + chunk.toString();
      const end = text.indexOf(ENDED.charAt(0));
      print(end === -1 ? text : text.slice(0, end));
      last = end === -1 ? '' : text.slice(end);
      if (!last.endsWith('\n')) return;
      stream?.off('data', read);
      resolvePromise(Number(last.slice(ENDED.length)));
    };
    stream?.on('data', read);
  });
}

function idleHost(): Host | undefined {
  for (let host = idle.pop(); host !== undefined; host = idle.pop()) {
    if (host.child.connected && performance.now() < host.idleSince + IDLE) return host;
    host.child.kill('SIGKILL');
  }
  return undefined;
}

function handlesOf({ child }: Host): readonly { ref(): void; unref(): void }[] {
  return [child, child.channel, child.stdout as Socket | null, child.stderr as Socket | null].filter(
    (each) => each !== null && each !== undefined,
  );
}

function newProcess(): ChildProcess {
  return childProcess.fork(resolve('dist/test/support/host.child.js'), {
    execArgv: ['--disable-warning=ExperimentalWarning', ...FOR_A_SHORT_LIFE],
    env: { PATH: process.env['PATH'] },
    silent: true,
  });
}
