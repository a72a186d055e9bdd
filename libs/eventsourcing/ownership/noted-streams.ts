import type { Facts } from '../ports/facts.js';
import type { Finding } from './finding.js';

/** On disk, as the name of a fact. */
const FACT = 'streams found';
/** So many streams are noted at most. Where there are more, a start meets the others when it reads them. */
const MOST = 100;

/** Where in a stream something was found. */
export interface NotedStream {
  readonly stream: string;
  /** Of an event that is another program's, or of the first that is lost; 0 where it is about the whole stream. */
  readonly revision: number;
}

/**
 * The streams of which something was found, as the installation keeps them beside its keys: so every process of it, and every
 * start, says what one has found. What cut a stream passes by once, and to those that listen then; whoever follows the log
 * from a later place on would not hear of it.
 */
export class NotedStreams {
  /** Noted by this process, or looked at. */
  readonly #known = new Set<string>();
  readonly #toNote: NotedStream[] = [];
  #noting: Promise<void> | undefined;

  /** @param sees looks at a stream, and tells whoever watches over the log. @returns whether there is anything still */
  constructor(
    private readonly facts: Facts,
    private readonly sees: (noted: NotedStream) => Promise<boolean>,
  ) {}

  /** Notes what was found of a stream. */
  note({ stream, at, from }: Finding): void {
    const noted = stream === undefined ? undefined : { stream, revision: at ?? from ?? 0 };
    if (noted === undefined || this.#known.size >= MOST || !this.#meets(noted)) return;
    this.#toNote.push(noted);
    this.#begin();
  }

  /**
   * Looks at the streams that were noted by others, or before.
   * @param strikes whether those that nothing is found of any more are struck off
   * @throws Unavailable when log or key store cannot be asked
   */
  async look(strikes: boolean): Promise<void> {
    this.#begin();
    const well: NotedStream[] = [];
    for (const noted of parse(await this.facts.get(FACT))) {
      if (!this.#meets(noted)) continue;
      try {
        if (!(await this.sees(noted))) well.push(noted);
      } catch (error) {
        this.#known.delete(keyOf(noted));
        throw error;
      }
    }
    if (!strikes || well.length === 0) return;
    const gone = new Set(well.map(keyOf));
    for (const key of gone) this.#known.delete(key);
    await this.#change((all) => all.filter((each) => !gone.has(keyOf(each))));
  }

  /** Waits for what is being noted. */
  async close(): Promise<void> {
    await this.#noting;
  }

  #meets(noted: NotedStream): boolean {
    const key = keyOf(noted);
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    return true;
  }

  #begin(): void {
    this.#noting ??= this.#note().finally(() => (this.#noting = undefined));
  }

  async #note(): Promise<void> {
    while (this.#toNote.length > 0) {
      const more = [...this.#toNote];
      const keys = new Set(more.map(keyOf));
      try {
        await this.#change((all) => [...all.filter((each) => !keys.has(keyOf(each))), ...more].slice(0, MOST));
      } catch {
        // It is tried again with the next look.
        return;
      }
      this.#toNote.splice(0, more.length);
    }
  }

  async #change(change: (all: readonly NotedStream[]) => readonly NotedStream[]): Promise<void> {
    for (;;) {
      const text = await this.facts.get(FACT);
      const next = JSON.stringify(change(parse(text)));
      if (next === (text ?? '[]')) return;
      const done =
        text === undefined
          ? (await this.facts.insert(FACT, next)) === next
          : await this.facts.replace(FACT, text, next);
      if (done) return;
    }
  }
}

function parse(text: string | undefined): readonly NotedStream[] {
  return text === undefined ? [] : (JSON.parse(text) as readonly NotedStream[]);
}

function keyOf({ stream, revision }: NotedStream): string {
  return `${stream}@${revision}`;
}
