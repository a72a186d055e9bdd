import { thisMachine } from '#adapters/machine';
import { Unavailable, type Machine } from '#eventsourcing';
import type { Recorded } from '#kernel';
import type { OwnStreams } from './own-streams.js';
import { type Server, type ServerEvent, StreamDeleted } from './server.js';

/** A contradiction to the claim that a stream of ours is whole and only ours. */
export interface FoundInStream {
  readonly stream: string;
  /** For operators: what was found, and what accepting it loses. */
  readonly words: string;
  /** Exactly what was found. */
  readonly found: readonly (string | number)[];
  /** The revision of an event that is not ours. */
  readonly at?: number;
}

/** Whom the adapter tells about faults of the log. */
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
/** How many streams of others to remember if only their first event shows that they are not ours. */
const REMEMBERED = 10_000;
/** Milliseconds before a failed look is repeated. */
const AGAIN = 250;

/** Selects the events of one log from everyone's, and detects that somebody cut its streams or wrote into them. */
export class StreamWatch {
  /** Events of others that have come. */
  foreign = 0;
  readonly #others = new Set<string>();

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
        picked.push(sorted.event);
      } else if (sorted.kind === 'newer') {
        throw new UnknownCategory(
          `${sorted.stream}@${event.revision} is of a category that this build does not know: a newer build wrote it. ` +
            'Run that build, or a newer one.',
        );
      } else if (sorted.kind === 'metadata') {
        if (cutBy(sorted.of).length > 0 && !(await this.#isOthers(sorted.stream))) {
          await this.#cutNow(sorted.stream, sorted.of);
        }
      } else if (sorted.kind === 'deleted') {
        if (!(await this.#isOthers(sorted.stream))) this.#deleted(sorted.stream);
      } else if (sorted.kind !== 'system') {
        this.foreign += 1;
        if (sorted.kind === 'stranger' && !(await this.#isOthers(sorted.stream, event))) {
          this.#stranger(sorted.stream, event);
        }
      }
    }
    return picked;
  }

  /**
   * The events of one of our streams: fewer than `max` only at its end.
   * @throws Unavailable if somebody cut it or wrote into it, and no operator has accepted that
   */
  async readStream(stream: string, from: number, max: number): Promise<readonly Recorded[]> {
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
        else if (!this.#stranger(stream, event)) throw needsOperator(stream);
        next = event.revision + 1;
      }
      isLast = (events?.length ?? 0) < wanted;
    }
    return recorded;
  }

  /** Whether a setting now removes events from the stream; also reports it. */
  async isCut(stream: string): Promise<boolean> {
    const metadata = await this.#metadataOf(stream);
    this.#cut(stream, metadata);
    return cutBy(metadata).length > 0;
  }

  async #metadataOf(stream: string): Promise<unknown> {
    try {
      return (await this.server.readStream(`$$${this.ours.prefix}${stream}`, 0, 1))?.at(-1)?.data;
    } catch (error) {
      // The metadata goes with its stream, whose readers are told.
      if (error instanceof StreamDeleted) return undefined;
      throw error;
    }
  }

  async #read(stream: string, from: number, max: number): Promise<readonly ServerEvent[] | undefined> {
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

  /** A setting may have been removed since: a follower that begins further back still meets it. */
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
      `back. ${LOSES}`;
    this.#found({ stream, words, found: settings });
  }

  #deleted(stream: string): boolean {
    const words =
      `Somebody has deleted the stream ${stream} for ever (a tombstone): nothing can be written to it again. Only an ` +
      `older copy of the server's data has it. ${LOSES}`;
    return this.#found({ stream, words, found: ['tombstone'] });
  }

  #stranger(stream: string, { revision, id, type }: ServerEvent): boolean {
    const words =
      `${stream}@${revision} (${type}) was not written by Holdfast: another program writes into its streams. Accepting it ` +
      'means that Holdfast ignores it.';
    return this.#found({ stream, words, found: ['stranger', revision, id], at: revision });
  }

  #found(found: FoundInStream): boolean {
    return this.by.onFound?.(found) ?? false;
  }

  /**
   * Without a prefix, others' streams may have names like ours: a stream is theirs if its first event does not have our
   * form. A stream without events may have been ours.
   * @param event of the stream, without our metadata
   */
  async #isOthers(stream: string, event?: ServerEvent): Promise<boolean> {
    if (this.ours.prefix !== '') return false;
    if (this.#others.size > REMEMBERED) this.#others.clear();
    if (event?.revision === 0) this.#others.add(stream);
    while (!this.#others.has(stream) && !this.closing.aborted) {
      try {
        const [first] = (await this.server.readStream(stream, 0, 1)) ?? [];
        if (first === undefined || this.ours.classify(first).kind === 'ours') return false;
        this.#others.add(stream);
      } catch (error) {
        if (error instanceof StreamDeleted) return false;
        this.by.onError?.(error);
        await (this.by.machine ?? thisMachine).time.pause(AGAIN, { signal: this.closing });
      }
    }
    return true;
  }
}

/** The keys in metadata that remove events from their stream. */
function cutBy(metadata: unknown): readonly string[] {
  if (typeof metadata !== 'object' || metadata === null) return [];
  return CUTTING.flatMap((name) => {
    const value = (metadata as Record<string, unknown>)[name];
    return typeof value === 'number' && (name !== '$tb' || value > 0) ? [`${name} ${value}`] : [];
  });
}

const LOSES =
  'Accepting it loses what those events say: units are sold again, redemption codes are given out again, and nobody ' +
  'finds the purchases.';

function needsOperator(stream: string): Unavailable {
  return new Unavailable('the event log needs an operator: see /health/ready', 10, stream);
}
