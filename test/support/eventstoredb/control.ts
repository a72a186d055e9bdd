import type { Expected } from './commit-check.js';
import { appendForeign, foreignEvent, type ForeignEvent } from './foreign.js';
import { entriesOf } from './journal.js';
import { Line, type Way } from './line.js';
import type { ControlledNode, Node } from './node.js';
import type { DoubleOptions } from './options.js';

/** An event as a test sees it. */
export interface ShownEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly id: string;
  readonly type: string;
  /** Texts: JSON, except for binary events. */
  readonly data: string;
  readonly metadata: string;
}

/**
 * What tests do to a server without its clients' knowledge. Every method takes and returns JSON, so that a test can also call it
 * in a process of its own.
 */
export class DoubleControl {
  readonly #lines = new Map<string, Line>();

  constructor(private readonly double: ControlledNode) {}

  /** Changes its faults. */
  async set(options: Omit<DoubleOptions, 'port' | 'file'>): Promise<void> {
    this.double.options = { ...this.double.options, ...options };
  }

  /** Writes as another application does. @returns the position of the last event */
  async append(stream: string, events: readonly ForeignEvent[], expected: Expected = 'any'): Promise<number> {
    const { store } = this.#writing();
    const outcome = store.append(stream, expected, events.map(foreignEvent));
    store.sync();
    if (!('position' in outcome)) throw new Error(`nothing was written: ${JSON.stringify(outcome)}`);
    return outcome.position ?? 0;
  }

  /** Writes this many events as other applications do. */
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

  /** Replaces a stream's metadata: `$maxCount`, `$maxAge` in seconds, `$tb`, and anything else. */
  async setMetadata(stream: string, metadata: Readonly<Record<string, unknown>>): Promise<void> {
    await this.append(`$$${stream}`, [{ type: '$metadata', data: metadata }]);
  }

  /** Removes hidden events for good; positions leap. */
  async scavenge(): Promise<void> {
    const { store } = this.#writing();
    store.scavenge();
    store.sync();
  }

  /**
   * Its data is lost, and comes back from another node as whole chunks: it does not know the streams whose event 0 was
   * scavenged. Callers do not notice the moment.
   */
  async refill(): Promise<void> {
    this.#writing().store.fill();
  }

  /** Where the next event will begin; `restore` takes this position to go back to today's state. */
  async end(): Promise<number> {
    return this.double.store.end;
  }

  /** Kills the process: connections break, and nothing answers. */
  async stop(): Promise<void> {
    this.double.close();
  }

  /** Tells the process to end: it writes what it has taken, but calls end without its answers. */
  async terminate(): Promise<void> {
    this.double.terminate();
  }

  /** Starts it again on the same port, with its data. */
  async start(): Promise<void> {
    await this.double.listen();
  }

  /** Restores the copy made when the log ended at this position; 0 is an empty server. Only while it is stopped. */
  async truncateTo(end: number): Promise<void> {
    this.double.replace(this.double.store.entriesBefore(end));
  }

  /** Replaces all its data with another double's file. Only while it is stopped. */
  async replaceBy(file: string): Promise<void> {
    this.double.replace(entriesOf(file));
  }

  /** Stops it, restores the older copy, and starts it. */
  async restore(end: number): Promise<void> {
    await this.stop();
    await this.truncateTo(end);
    await this.start();
  }

  /** Opens a line for one caller. @returns that caller's connection string */
  async line(name: string): Promise<string> {
    const line = this.#lines.get(name) ?? (await Line.to(this.double));
    this.#lines.set(name, line);
    return line.url;
  }

  /** From now on, what this caller sends or receives waits on the way. */
  async stall(name: string, way: Way = 'both'): Promise<void> {
    this.#line(name).stall(way);
  }

  /** What waited arrives, late. */
  async release(name: string): Promise<void> {
    this.#line(name).release();
  }

  /** This caller's connections break, and nothing answers it. */
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

  /** The number of appends that were carried out, whatever their outcome. */
  async appended(): Promise<number> {
    return this.double.appends.count;
  }

  /** How many events it has looked at for its callers, subscriptions included. */
  async examined(): Promise<number> {
    return this.double.store.examined;
  }

  /** All events, hidden or not, of one stream or of all. */
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

  /** The node that takes writes. */
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
