import { thisMachine } from '#adapters/machine';
import { BoundedMap, type FindingKind, isLastPage, type Machine, type Page, pageOf, Unavailable } from '#eventsourcing';
import type { Recorded } from '#kernel';
import type { ClassifiedEvent, OwnStreams } from './own-streams.js';
import { type Server, type ServerEvent, StreamDeleted } from './server.js';

/** A contradiction to the claim that a stream of ours is whole and only ours. */
export interface FoundInStream {
  readonly kind: Extract<FindingKind, 'cut' | 'tombstone' | 'stranger'>;
  readonly stream: string;
  /** For operators: what was found. */
  readonly words: string;
  /** Exactly what was found. */
  readonly found: readonly (string | number)[];
  /** The revision of an event that is not ours. */
  readonly at?: number;
}

/** Who learns of faults of the log from the adapter. */
export interface WatchedBy {
  /** Called when a subscription, or the connection for appends, broke: the server may now be another one, or have another log. */
  readonly onBroken?: () => void;
  /** Called when something is wrong with a stream. @returns whether an operator has accepted it */
  readonly onFound?: (found: FoundInStream) => boolean;
  /** For the operators' log, now and then: why calls fail. Callers do not see it. */
  readonly onError?: (error: unknown) => void;
  /** For the operators' log: what they should know about the server. */
  readonly onNotice?: (words: string) => void;
  /** Time and randomness; this machine's if absent. */
  readonly machine?: Machine | undefined;
}

/** An event of our form, in a category that this build does not know. */
export class UnknownCategory extends Error {
  override name = 'UnknownCategory';
}

/** Keys in a stream's metadata that remove events from it. */
const CUTTING = ['$tb', '$maxCount', '$maxAge'];
/** Of how many streams to remember whose they are, where only the first event shows it. */
const REMEMBERED = 10_000;
/** How many streams of others to name to operators. */
const NAMED = 20;
/** The `$tb` of a stream that somebody has deleted: the largest revision, which JSON numbers cannot hold. */
const SOFT_DELETED = 2 ** 63;
/** Milliseconds before a failed look is repeated. */
const AGAIN = 250;

/** Selects the events of one log from everyone's, and detects that somebody cut its streams or wrote into them. */
export class StreamWatch {
  /** Events of others that have come. */
  eventsOfOthers = 0;
  /** Whether a stream with a name of our form is another program's, for streams where that was a question. */
  readonly #isTheirs = new BoundedMap<string, boolean>(REMEMBERED);
  #named = 0;

  constructor(
    private readonly server: Pick<Server, 'readStream'>,
    private readonly ours: OwnStreams,
    private readonly by: WatchedBy,
    private readonly closing: AbortSignal,
  ) {}

  /**
   * The log's events among these.
   * @throws UnknownCategory
   */
  async pick(events: readonly ServerEvent[]): Promise<readonly Recorded[]> {
    const picked: Recorded[] = [];
    for (const event of events) {
      const sorted = this.ours.classify(event);
      if (sorted.kind === 'ours') {
        // A stream that is another program's is theirs as a whole.
        if (this.#isTheirs.get(sorted.event.stream) === true) this.eventsOfOthers += 1;
        else picked.push(sorted.event);
      } else if (sorted.kind === 'newer') {
        throw new UnknownCategory(
          `${sorted.stream}@${event.revision} is of a category that this build does not know: a newer build wrote it. ` +
            'Run that build, or a newer one.',
        );
      } else {
        if (sorted.kind === 'stranger' || sorted.kind === 'theirs') this.eventsOfOthers += 1;
        await this.#examine(event, sorted, (stream, first) => this.#untilKnown(stream, first));
      }
    }
    return picked;
  }

  /** Whether an event may show that a stream of ours was cut, deleted or written into: `examine` finds out. */
  isSuspicious(event: ServerEvent): boolean {
    const sorted = this.ours.classify(event);
    return sorted.kind === 'metadata' ? cutBy(sorted.of).length > 0 : ['deleted', 'stranger'].includes(sorted.kind);
  }

  /** Reports what these events show of streams of ours. @throws what the server says if it cannot be asked */
  async examine(events: readonly ServerEvent[]): Promise<void> {
    for (const event of events)
      await this.#examine(event, this.ours.classify(event), (stream, first) => this.#wasBegunByOthers(stream, first));
  }

  /**
   * The events of one of our streams, as `EventLogReader.readStream` promises. A stream that another program has begun has none.
   * @throws Unavailable if somebody cut it or wrote into it, and no operator has accepted that
   */
  async readStream(stream: string, from: number, max: number): Promise<Page> {
    const recorded: Recorded[] = [];
    // Reads another event for each accepted event that is not ours.
    for (let next = from, isLast = false; !isLast && recorded.length < max;) {
      const wanted = max - recorded.length;
      const events = await this.#read(stream, next, wanted);
      // Whoever checks revisions sees gaps; but nobody would see that nothing comes.
      const isEmpty = events === undefined || (next === 0 && events.length === 0);
      if (isEmpty) await this.#refuseEmptied(stream);
      for (const event of events ?? []) {
        const sorted = this.ours.classify(event);
        if (sorted.kind === 'ours') recorded.push(sorted.event);
        else if (this.#begins(stream, event)) return [];
        else if (!this.#stranger(stream, event)) throw needsOperator(stream);
        next = event.revision + 1;
      }
      if (events?.more === true && recorded.length > 0) return pageOf(recorded, true);
      isLast = events === undefined || isLastPage(events, wanted);
    }
    return recorded;
  }

  /** Whether a setting now removes events from the stream; also reports it. */
  async isCut(stream: string): Promise<boolean> {
    const metadata = await this.#metadataOf(stream);
    if (cutBy(metadata).length === 0 || (await this.isOthers(stream))) return false;
    this.#cut(stream, metadata);
    return true;
  }

  /** Whether the stream was deleted for ever. */
  async isDeleted(stream: string): Promise<boolean> {
    try {
      await this.server.readStream(this.ours.prefix + stream, 0, 1);
      return false;
    } catch (error) {
      if (error instanceof StreamDeleted) return true;
      throw error;
    }
  }

  /** Whether another program has begun the stream: then nothing of ours is in it, and nothing ever will be. */
  async isOthers(stream: string): Promise<boolean> {
    const first = await this.#firstOf(stream);
    return first !== undefined && this.ours.classify(first).kind !== 'ours' && this.#begins(stream, first);
  }

  /** @param isTheirs whether a stream is another program's, because its first event is */
  async #examine(
    event: ServerEvent,
    sorted: ClassifiedEvent,
    isTheirs: (stream: string, event?: ServerEvent) => Promise<boolean>,
  ): Promise<void> {
    if (sorted.kind === 'metadata') {
      if (cutBy(sorted.of).length > 0 && !(await isTheirs(sorted.stream))) await this.#cutNow(sorted.stream, sorted.of);
    } else if (sorted.kind === 'deleted') {
      if (!(await isTheirs(sorted.stream))) this.#deleted(sorted.stream);
    } else if (sorted.kind === 'stranger') {
      if (!(await isTheirs(sorted.stream, event))) this.#stranger(sorted.stream, event);
    }
  }

  async #metadataOf(stream: string): Promise<unknown> {
    try {
      return (await this.server.readStream(`$$${this.ours.prefix}${stream}`, 0, 1))?.at(-1)?.data;
    } catch (error) {
      // The metadata goes with its stream, whose readers learn it.
      if (error instanceof StreamDeleted) return undefined;
      throw error;
    }
  }

  async #read(stream: string, from: number, max: number): Promise<Page<ServerEvent> | undefined> {
    try {
      return await this.server.readStream(this.ours.prefix + stream, from, max);
    } catch (error) {
      if (!(error instanceof StreamDeleted)) throw error;
      if (!this.#deleted(stream)) throw needsOperator(stream);
      return [];
    }
  }

  /**
   * Refuses a stream without events that somebody may have emptied. Nothing can be decided on it, whatever an operator has
   * accepted: the server counts on from revisions that nobody can know.
   */
  async #refuseEmptied(stream: string): Promise<void> {
    if (await this.isCut(stream)) throw needsOperator(stream);
  }

  /** A setting may have been removed since: a follower that begins further back still sees it. */
  async #cutNow(stream: string, then: unknown): Promise<void> {
    try {
      this.#cut(stream, await this.#metadataOf(stream));
    } catch {
      this.#cut(stream, then);
    }
  }

  #cut(stream: string, metadata: unknown): void {
    const settings = cutBy(metadata);
    if (settings.length === 0) return;
    const words =
      `Somebody has set ${settings.join(' and ')} on the stream ${stream}: EventStoreDB hides events of it, or all of them, ` +
      'and the next scavenge deletes them. Remove that from the metadata of the stream: events that were not scavenged come ' +
      'back.';
    this.#found({ kind: 'cut', stream, words, found: settings });
  }

  #deleted(stream: string): boolean {
    const words =
      `Somebody has deleted the stream ${stream} for ever (a tombstone): nothing can be written to it again. Only an ` +
      "older copy of the server's data has it.";
    return this.#found({ kind: 'tombstone', stream, words, found: [] });
  }

  #stranger(stream: string, { revision, id, type }: ServerEvent): boolean {
    const words = `${stream}@${revision} (${type}) was not written by Holdfast: another program writes into its streams.`;
    return this.#found({ kind: 'stranger', stream, words, found: [revision, id], at: revision });
  }

  #found(found: FoundInStream): boolean {
    return this.by.onFound?.(found) ?? false;
  }

  /** The same as `#wasBegunByOthers`, asked until the server answers or the reader closes. */
  async #untilKnown(stream: string, event?: ServerEvent): Promise<boolean> {
    while (!this.closing.aborted) {
      try {
        return await this.#wasBegunByOthers(stream, event);
      } catch (error) {
        this.by.onError?.(error);
        await (this.by.machine ?? thisMachine).time.pause(AGAIN, { signal: this.closing });
      }
    }
    return true;
  }

  /**
   * Whether a stream is another program's, because its first event is.
   * @param event of the stream, without our metadata
   */
  async #wasBegunByOthers(stream: string, event?: ServerEvent): Promise<boolean> {
    if (event !== undefined) this.#begins(stream, event);
    const known = this.#isTheirs.get(stream);
    if (known !== undefined) return known;
    const first = await this.#firstOf(stream);
    // A stream without events may have been ours.
    if (first === undefined) return false;
    const isOurs = this.ours.classify(first).kind === 'ours';
    // Without a prefix, others' streams have names like ours by chance. Under one, what is gone may have been ours.
    const isTheirs = !isOurs && (first.revision === 0 || this.ours.prefix === '');
    if (isTheirs) this.#nameTheirs(stream, first);
    this.#isTheirs.set(stream, isTheirs);
    return isTheirs;
  }

  /** The first event that is left of a stream; undefined if there is none. */
  async #firstOf(stream: string): Promise<ServerEvent | undefined> {
    try {
      return (await this.server.readStream(this.ours.prefix + stream, 0, 1))?.[0];
    } catch (error) {
      if (error instanceof StreamDeleted) return undefined;
      throw error;
    }
  }

  /** Whether an event that is not ours begins its stream; remembers that. */
  #begins(stream: string, event: ServerEvent): boolean {
    if (event.revision !== 0) return false;
    this.#nameTheirs(stream, event);
    this.#isTheirs.set(stream, true);
    return true;
  }

  #nameTheirs(stream: string, { type }: ServerEvent): void {
    if (this.#isTheirs.get(stream) === true || this.#named > NAMED) return;
    this.#named += 1;
    this.by.onNotice?.(
      this.#named > NAMED
        ? 'more streams of other programs have names like ours: they are ignored, too, and not named here'
        : `another program has begun the stream ${this.ours.prefix}${stream} (${type}), whose name is like ours: Holdfast ` +
            `ignores it as a whole, and refuses to create ${stream}`,
    );
  }
}

/** The keys in metadata that remove events from their stream. */
function cutBy(metadata: unknown): readonly string[] {
  if (typeof metadata !== 'object' || metadata === null) return [];
  return CUTTING.flatMap((name) => {
    const value = (metadata as Record<string, unknown>)[name];
    return typeof value === 'number' && (name !== '$tb' || value > 0) ? [`${name} ${digitsOf(value)}`] : [];
  });
}

/** A number of the metadata as it was written there, as far as JSON keeps it. */
function digitsOf(value: number): string {
  if (value === SOFT_DELETED) return '9223372036854775807 (a deletion)';
  return value > Number.MAX_SAFE_INTEGER ? `of about ${BigInt(Math.round(value))}` : String(value);
}

function needsOperator(stream: string): Unavailable {
  return new Unavailable('the event log needs an operator: see /health/ready', 10, stream);
}
