import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';

/** An event as a client sends it; its data and metadata are in base64. */
export type Proposed = Readonly<Record<'id' | 'type' | 'contentType' | 'data' | 'metadata', string>>;

/**
 * Everything written, in order: an append with its time (missing in old files), or a scavenge at a time. `anew`: the node that
 * wrote it did not know the stream, so its revisions begin at 0 again.
 */
export type Entry =
  | readonly [stream: string, events: readonly Proposed[], created?: number, anew?: 'anew']
  | { readonly scavenged: number };

/** Everything written, from which all other state follows. With a file it survives a `kill -9`. */
export class Journal {
  readonly entries: Entry[] = [];
  #unsynced = '';

  constructor(private readonly file?: string) {
    if (file === undefined) return;
    for (const entry of entriesOf(file)) this.entries.push(entry);
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    if (this.file !== undefined) this.#unsynced += lineOf(entry);
  }

  /** Makes additions durable, before they are acknowledged. */
  sync(): void {
    if (this.file !== undefined && this.#unsynced !== '') appendFileSync(this.file, this.#unsynced, { flush: true });
    this.#unsynced = '';
  }

  replace(entries: readonly Entry[]): void {
    this.entries.length = 0;
    for (const entry of entries) this.entries.push(entry);
    this.#unsynced = '';
    if (this.file !== undefined) writeFileSync(this.file, this.entries.map(lineOf).join(''), { flush: true });
  }
}

/** The entries of a double's file, without the last line if a kill broke it off. */
export function entriesOf(file: string): readonly Entry[] {
  const text = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
  // A last line without an end was never acknowledged.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  truncateSync(file, Buffer.byteLength(whole));
  return whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Entry);
}

const lineOf = (entry: Entry): string => `${JSON.stringify(entry)}\n`;
