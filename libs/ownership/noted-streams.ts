import { changeEntry, type KeyValueStore, type Finding } from '#eventsourcing';

/** The entry's name on disk. */
const ENTRY = 'streams found';
/** The most streams to note. If there are more, a start finds the others when it reads them. */
const MOST = 100;

/** The place of a finding in a stream. */
export interface NotedStream {
  readonly stream: string;
  /** The revision of another program's event, or of the first lost one; 0 if the finding is about the whole stream. */
  readonly revision: number;
}

/**
 * The streams with findings, kept beside the installation's keys, so that every process and every start reports what one
 * process found. The event that cuts a stream comes by only once; a process that follows the log from a later place would
 * not see it.
 */
export class NotedStreams {
  /** Streams that this process noted or has looked at. */
  readonly #known = new Set<string>();
  readonly #toNote: NotedStream[] = [];
  #noting: Promise<void> | undefined;

  /** @param sees looks at a stream and reports to whoever watches the log. @returns whether there is still a finding */
  constructor(
    private readonly keyValues: KeyValueStore,
    private readonly sees: (noted: NotedStream) => Promise<boolean>,
  ) {}

  /** Notes the finding of a stream. */
  note({ stream, at, from }: Finding): void {
    const noted = stream === undefined ? undefined : { stream, revision: at ?? from ?? 0 };
    if (noted === undefined || this.#known.size >= MOST || !this.#meets(noted)) return;
    this.#toNote.push(noted);
    this.#begin();
  }

  /**
   * Looks at the streams noted by other processes or earlier.
   * @param strikes whether to remove streams without a finding
   * @throws Unavailable if log or key store cannot be asked
   */
  async look(strikes: boolean): Promise<void> {
    this.#begin();
    const well: NotedStream[] = [];
    for (const noted of parse(await this.keyValues.get(ENTRY))) {
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

  /** Waits for notes under way. @returns whether everything that was found is noted */
  async settle(): Promise<boolean> {
    this.#begin();
    await this.#noting;
    return this.#toNote.length === 0;
  }

  /** Waits for notes under way. */
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
        // The next look tries again.
        return;
      }
      this.#toNote.splice(0, more.length);
    }
  }

  async #change(change: (all: readonly NotedStream[]) => readonly NotedStream[]): Promise<void> {
    await changeEntry(this.keyValues, ENTRY, (text) => {
      const next = change(parse(text));
      return text === undefined && next.length === 0 ? undefined : JSON.stringify(next);
    });
  }
}

function parse(text: string | undefined): readonly NotedStream[] {
  return text === undefined ? [] : (JSON.parse(text) as readonly NotedStream[]);
}

function keyOf({ stream, revision }: NotedStream): string {
  return `${stream}@${revision}`;
}
