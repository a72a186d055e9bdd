import type { Expected } from './commit-check.js';
import { appendForeign, foreignEvent, type ForeignEvent } from './foreign.js';
import { entriesOf } from './journal.js';
import { Line, type Way } from './line.js';
import type { ControlledNode, Node } from './node.js';
import type { DoubleOptions } from './options.js';

/** An event as a test looks at it. */
export interface ShownEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly id: string;
  readonly type: string;
  /** Texts: JSON, but for binary events. */
  readonly data: string;
  readonly metadata: string;
}

/**
 * What tests do to a server behind its clients' backs. Every method takes and gives JSON, so that a process of its own can
 * be told the same.
 */
export class DoubleControl {
  readonly #lines = new Map<string, Line>();

  constructor(private readonly double: ControlledNode) {}

  /** Changes how it misbehaves. */
  async set(options: Omit<DoubleOptions, 'port' | 'file'>): Promise<void> {
    this.double.options = { ...this.double.options, ...options };
  }

  /** Writes as another application does. @returns the position of the last one */
  async append(stream: string, events: readonly ForeignEvent[], expected: Expected = 'any'): Promise<number> {
    const { store } = this.#writing();
    const outcome = store.append(stream, expected, events.map(foreignEvent));
    store.sync();
    if (!('position' in outcome)) throw new Error(`nothing was written: ${JSON.stringify(outcome)}`);
    return outcome.position ?? 0;
  }

  /** Writes so many events as other applications do. */
  async appendForeign(count: number): Promise<void> {
    const { store } = this.#writing();
    for (let nth = 0; nth < count; nth += 1) appendForeign(store, nth);
    store.sync();
  }

  async softDelete(stream: string): Promise<void> {
    this.#deleted(stream, 'softly');
  }

  async tombstone(stream: string): Promise<void> {
    this.#deleted(stream, 'for ever');
  }

  /** Replaces a stream's metadata: `$maxCount`, `$maxAge` in seconds, `$tb`, and whatever else. */
  async setMetadata(stream: string, metadata: Readonly<Record<string, unknown>>): Promise<void> {
    await this.append(`$$${stream}`, [{ type: '$metadata', data: metadata }]);
  }

  /** Removes for good what is hidden; positions leap. */
  async scavenge(): Promise<void> {
    const { store } = this.#writing();
    store.scavenge();
    store.sync();
  }

  /** Where the next event will begin; an older copy of today is what `restore` makes of it. */
  async end(): Promise<number> {
    return this.double.store.end;
  }

  /** The process is killed: connections break, and nothing answers. */
  async stop(): Promise<void> {
    this.double.close();
  }

  /** The process is told to end: it writes what it has taken, but calls end without its answers. */
  async terminate(): Promise<void> {
    this.double.terminate();
  }

  /** It is started again, at the same port, on what it has. */
  async start(): Promise<void> {
    await this.double.listen();
  }

  /** Puts back the copy that was made when the log ended at this position; 0 is an empty server. While it is stopped. */
  async truncateTo(end: number): Promise<void> {
    this.double.replace(this.double.store.entriesBefore(end));
  }

  /** Puts another double's file in the place of all there is. While it is stopped. */
  async replaceBy(file: string): Promise<void> {
    this.double.replace(entriesOf(file));
  }

  /** Stops, puts the older copy back, and starts. */
  async restore(end: number): Promise<void> {
    await this.stop();
    await this.truncateTo(end);
    await this.start();
  }

  /** A line of one caller's own. @returns the connection string for that caller */
  async line(name: string): Promise<string> {
    const line = this.#lines.get(name) ?? (await Line.to(this.double));
    this.#lines.set(name, line);
    return line.url;
  }

  /** What this caller sends from now on, or is sent, waits on the way. */
  async stall(name: string, way: Way = 'both'): Promise<void> {
    this.#line(name).stall(way);
  }

  /** What waited arrives, late. */
  async release(name: string): Promise<void> {
    this.#line(name).release();
  }

  /** This caller's connections break, and nobody answers to it. */
  async cut(name: string): Promise<void> {
    this.#line(name).cut();
  }

  async mend(name: string): Promise<void> {
    await this.#line(name).mend();
  }

  /** Cuts every line. */
  async close(): Promise<void> {
    for (const line of this.#lines.values()) line.cut();
  }

  /** How many appends were carried out, whatever their outcome. */
  async appended(): Promise<number> {
    return this.double.appends.count;
  }

  /** Everything there is, hidden or not, of one stream or of all. */
  async events(stream?: string): Promise<readonly ShownEvent[]> {
    const text = (base64: string): string => Buffer.from(base64, 'base64').toString();
    return this.double.store.all
      .filter((event) => stream === undefined || event.stream === stream)
      .map(({ contentType: _type, created: _created, data, metadata, ...event }) => ({
        ...event,
        data: text(data),
        metadata: text(metadata),
      }));
  }

  /** Who takes writes. */
  #writing(): Node {
    const leader = this.double.leader();
    if (leader === undefined) throw new Error('nobody leads');
    return leader;
  }

  #line(name: string): Line {
    const line = this.#lines.get(name);
    if (line === undefined) throw new Error(`there is no line ${name}`);
    return line;
  }

  #deleted(stream: string, how: 'softly' | 'for ever'): void {
    const { store } = this.#writing();
    const outcome = store.delete(stream, 'any', how);
    store.sync();
    if (!('position' in outcome)) throw new Error(`${stream} cannot be deleted: ${JSON.stringify(outcome)}`);
  }
}
