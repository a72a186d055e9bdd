import { appendFileSync, closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { EventStoreDbLog } from '#adapters/eventstoredb';
import { thisMachine } from '#adapters/machine';
import { CommandLoop, withCallDeadline } from '#eventsourcing';
import type { Attempt } from '../append-watch.js';

/** Milliseconds that A's callers wait for each command: 5000 for the whole call outside tests. */
export const PATIENCE_OF_A = 2_000;

/** A line of A's report: a batch that waits on a cut line never reaches the server. */
interface Line {
  readonly stream: string;
  /** Absent when a command has arrived and nothing is sent yet. */
  readonly sent?: Attempt;
}

/**
 * Environment variables for A, which loads this module first, and no bundle: its callers have less patience, and it reports
 * what it does.
 */
export function asA(file: string): Readonly<Record<string, string>> {
  const module = pathToFileURL(resolve('dist/test/campaigns/lines/over-http/reports-of-a.js')).href;
  return { NODE_OPTIONS: `--conditions=unbundled --import ${module}`, REPORTS_OF_A: file };
}

/** What A has reported so far. */
export class ReportsOfA {
  readonly #file: number;
  #rest = Buffer.alloc(0);
  readonly #asked = new Map<string, number>();
  readonly #sent = new Map<string, Attempt[]>();

  constructor(path: string) {
    this.#file = openSync(path, 'r');
  }

  /** The number of commands to a stream that have reached it. */
  asked(stream: string): number {
    this.#readOn();
    return this.#asked.get(stream) ?? 0;
  }

  /** The appends to a stream that it has sent. */
  sent(stream: string): readonly Attempt[] {
    this.#readOn();
    return this.#sent.get(stream) ?? [];
  }

  close(): void {
    closeSync(this.#file);
  }

  #readOn(): void {
    const piece = Buffer.alloc(65_536);
    for (let read; (read = readSync(this.#file, piece)) > 0;) {
      this.#rest = Buffer.concat([this.#rest, piece.subarray(0, read)]);
    }
    const whole = this.#rest.lastIndexOf('\n') + 1;
    const lines = this.#rest.subarray(0, whole).toString().split('\n').slice(0, -1);
    this.#rest = this.#rest.subarray(whole);
    for (const { stream, sent } of lines.map((line) => JSON.parse(line) as Line)) {
      if (sent === undefined) this.#asked.set(stream, (this.#asked.get(stream) ?? 0) + 1);
      else this.#sent.set(stream, [...(this.#sent.get(stream) ?? []), sent]);
    }
  }
}

const { REPORTS_OF_A: file } = process.env;
if (file !== undefined && isMainThread) {
  const tell = (line: Line): void => appendFileSync(file, `${JSON.stringify(line)}\n`);
  const append = EventStoreDbLog.prototype.append;
  EventStoreDbLog.prototype.append = function (list) {
    const [{ stream, expected, events }] = list;
    const commandIds = [...new Set(events.map(({ metadata }) => metadata.command_id))];
    tell({ stream, sent: { stream, expected, commandIds } });
    return append.call(this, list);
  };
  const { execute, read } = CommandLoop.prototype;
  CommandLoop.prototype.execute = function (this: CommandLoop, ...asked) {
    const [{ category }, id] = asked;
    tell({ stream: `${category}-${id}` });
    return withCallDeadline(thisMachine.time, () => execute.apply(this, asked), PATIENCE_OF_A);
  } as typeof execute;
  CommandLoop.prototype.read = function (this: CommandLoop, ...asked) {
    return withCallDeadline(thisMachine.time, () => read.apply(this, asked), PATIENCE_OF_A);
  } as typeof read;
}
