import { EventEmitter } from 'node:events';
import { appendFileSync, readFileSync, truncateSync } from 'node:fs';

/** An event as it comes; its data and metadata are in base64. */
export type Proposed = Readonly<Record<'id' | 'type' | 'contentType' | 'data' | 'metadata', string>>;
export type Stored = Proposed & { readonly stream: string; readonly revision: number; readonly position: number };
/** `actual` is the stream's revision in a conflict: -1 for a missing stream, and so is an expected revision of none. */
export type Outcome = { readonly actual: number } | { readonly revision: number; readonly position: number };

/** The events of the double, in memory; with a file they come back after a `kill -9`. Emits `committed`. */
export class Store extends EventEmitter {
  readonly all: Stored[] = [];
  readonly #streams = new Map<string, Stored[]>();
  /** The index of each event by its position. */
  readonly #places = new Map<number, number>();
  /** Where the next event will begin. */
  #end = 0;
  #unsynced = '';

  constructor(private readonly file?: string) {
    super();
    this.setMaxListeners(0);
    // A real server is never empty: its own events come first.
    this.#add('$settings', { id: '', type: '$settings', contentType: '', data: '', metadata: '' });
    if (file === undefined) return;
    const text = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
    // A last line without an end was cut off by the kill, and never acknowledged.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    truncateSync(file, Buffer.byteLength(whole));
    for (const line of whole.split('\n').filter(Boolean)) {
      const [name, events] = JSON.parse(line) as [string, Proposed[]];
      for (const event of events) this.#add(name, event);
    }
  }

  stream(name: string): readonly Stored[] {
    return this.#streams.get(name) ?? [];
  }

  /** Ids that stand at their place already are a repeat; at the stream's present revision known ids are written again. */
  append(name: string, expected: number, events: readonly Proposed[]): Outcome {
    const last = this.stream(name).length - 1;
    if (expected === last) {
      for (const event of events) this.#add(name, event);
      this.#unsynced += `${JSON.stringify([name, events])}\n`;
    }
    const there = this.stream(name).slice(expected + 1, expected + 1 + events.length);
    if (events.some(({ id }, index) => there[index]?.id !== id)) return { actual: last };
    return { revision: expected + events.length, position: there.at(-1)?.position ?? 0 };
  }

  /** Of the event that begins at the position; that of the next one for the end or beyond; undefined inside an event. */
  indexOf(position: number): number | undefined {
    return position >= this.#end ? this.all.length : this.#places.get(position);
  }

  /** Makes durable what was appended, before it is acknowledged. */
  sync(): void {
    if (this.file !== undefined) appendFileSync(this.file, this.#unsynced, { flush: true });
    this.#unsynced = '';
    this.emit('committed');
  }

  #add(name: string, event: Proposed): void {
    const stream = this.#streams.get(name) ?? [];
    const stored = { ...event, stream: name, revision: stream.length, position: this.#end };
    this.#places.set(this.#end, this.all.length);
    this.#streams.set(name, stream);
    stream.push(stored);
    this.all.push(stored);
    // Positions are the byte offsets of a log.
    this.#end += 120 + name.length + event.type.length + event.data.length + event.metadata.length;
  }
}
