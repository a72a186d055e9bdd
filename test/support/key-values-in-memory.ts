import type { KeyValueStore } from '#eventsourcing';

/** KeyValueStore without a disk. */
export class KeyValuesInMemory implements KeyValueStore {
  readonly texts: Map<string, string>;

  /** @param texts what it has at first: a copy of it */
  constructor(texts: ReadonlyMap<string, string> = new Map()) {
    this.texts = new Map(texts);
  }

  async get(name: string): Promise<string | undefined> {
    return this.texts.get(name);
  }

  async insert(name: string, text: string): Promise<string> {
    if (!this.texts.has(name)) this.texts.set(name, text);
    return this.texts.get(name) ?? text;
  }

  async replace(name: string, expected: string, text: string): Promise<boolean> {
    if (this.texts.get(name) !== expected) return false;
    this.texts.set(name, text);
    return true;
  }
}
