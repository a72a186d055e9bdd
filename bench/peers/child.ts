import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Server } from '../../test/bench/servers/server.js';
import type { Postgres } from './postgres.ts';

/** Vendure makes its tables and its catalogue first. */
const START_WITHIN = 600_000;

/** What a server of `servers/` gets, as its only argument. */
export interface Orders {
  readonly host: string;
  readonly user: string;
  /** Its own database, which it makes. */
  readonly database: string;
  /** A file with an item per line, as `Item`. */
  readonly items: string;
  /** Which of the ways that the server knows. */
  readonly way: string;
}

/** A server in a process of its own. */
export interface Child extends Server {
  stop(): Promise<void>;
}

/** Starts a file of `servers/` on a database of its own, and waits until it has its catalogue. */
export async function startChild(
  file: string,
  {
    postgres,
    folder,
    ...rest
  }: Pick<Orders, 'items' | 'way'> & { readonly postgres: Postgres; readonly folder: string },
): Promise<Child> {
  const { host, user } = postgres;
  const database = rest.way.replace(/\W/g, '_');
  const orders: Orders = { host, user, database, ...rest };
  const path = fileURLToPath(new URL(`servers/${file}.ts`, import.meta.url));
  const log = join(folder, `${rest.way}.log`);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path, JSON.stringify(orders)], {
    stdio: ['ignore', 'pipe', openSync(log, 'a')],
    // Vendure notes its installation in the working folder, and would tell its makers about it.
    cwd: folder,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', VENDURE_DISABLE_TELEMETRY: 'true' },
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const failed = (why: string): Error =>
    new Error(`the server ${rest.way} ${why}: ${readFileSync(log, 'utf8').slice(-2_000)}`);
  try {
    const port = await new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(failed('did not start')), START_WITHIN);
      let printed = '';
      child.once('exit', () => reject(failed('ended')));
      child.stdout?.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        const ready = /^ready at \S+:(\d+)$/m.exec(printed)?.[1];
        if (ready === undefined) return;
        clearTimeout(timer);
        resolve(Number(ready));
      });
    });
    return { processes: [{ name: '', pid: child.pid ?? 0 }], ports: [port], besides: () => postgres.cpu(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
