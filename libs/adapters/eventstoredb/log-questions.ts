import type { Position, Recorded } from '#kernel';
import type { LogRecord, SearchedLog } from '#eventsourcing';
import { type KnownRecord, recordOf } from './identity.js';
import { LogHead, type Suspicions } from './log-head.js';
import type { OwnStreams } from './own-streams.js';
import { NoEventThere, type Reads, type Server, type ServerEvent } from './server.js';

/** Short questions about a log. They reject with what the server says. */
export class LogQuestions {
  readonly #head: LogHead;

  constructor(
    private readonly reads: Reads & Partial<Pick<Server, 'subscribe'>>,
    private readonly ours: OwnStreams,
    private readonly known: () => KnownRecord | undefined,
    before?: SearchedLog,
    suspicions?: Suspicions,
  ) {
    this.#head = new LogHead(reads, ours, before, undefined, suspicions);
  }

  /** The log's present record; undefined if there is no log. @throws LogUnusable */
  record(): Promise<LogRecord | undefined> {
    return recordOf(this.reads, this.ours.prefix, this.known());
  }

  /** How far the log was searched for its last event. */
  get searched(): SearchedLog | undefined {
    return this.#head.known;
  }

  /** The position of the last event; 0n if there is none. */
  head(): Promise<Position> {
    return this.#head.find();
  }

  /** The log's event at a position; undefined if none of its events begins there. */
  async eventAt(position: Position): Promise<Recorded | undefined> {
    if (position <= 0n) return undefined;
    const event = await this.anyAt(position);
    const sorted = event && this.ours.classify(event);
    return sorted?.kind === 'ours' ? sorted.event : undefined;
  }

  /** The event at a position, whoever wrote it. */
  async anyAt(position: Position): Promise<ServerEvent | undefined> {
    try {
      const [event] = await this.reads.readAll(position, 1);
      return event?.position === position ? event : undefined;
    } catch (error) {
      if (error instanceof NoEventThere) return undefined;
      throw error;
    }
  }
}
