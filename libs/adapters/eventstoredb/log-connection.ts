import type { Instant, Position, Recorded } from '#kernel';
import { type LogConnection, type LogOwner, type LogRecord, LogUnusable, Unavailable } from '#eventsourcing';
import type { EventStoreDbOptions } from './options.js';
import { changeRecord, type KnownRecord, recordOf } from './identity.js';
import { LogQuestions } from './log-questions.js';
import type { OwnStreams } from './own-streams.js';
import { reasonOf } from './reason.js';
import type { AppendConnection, Server } from './server.js';

/** A check of a log over a connection that appends use. */
export class EventStoreDbConnection implements LogConnection {
  readonly #questions: LogQuestions;

  /**
   * @param available turns the server's errors into those of the port
   * @param allow allows appends over this connection
   */
  constructor(
    private readonly connection: AppendConnection,
    private readonly appends: Pick<Server, 'append'>,
    ours: OwnStreams,
    private readonly options: Pick<EventStoreDbOptions, 'prefix' | 'machine'>,
    private readonly known: () => KnownRecord | undefined,
    private readonly available: <T>(ask: () => Promise<T>) => Promise<T>,
    readonly allow: () => void,
  ) {
    this.#questions = new LogQuestions(connection.reads, ours, known);
  }

  get server(): string {
    return this.connection.server;
  }

  isPast(instant: Instant): Promise<boolean> {
    return this.available(() => this.connection.isPast(instant, `${this.options.prefix ?? ''}holdfast`));
  }

  record(): Promise<LogRecord | undefined> {
    return this.available(() => this.#questions.record());
  }

  head(): Promise<Position> {
    return this.available(() => this.#questions.head());
  }

  eventAt(position: Position): Promise<Recorded | undefined> {
    return this.available(() => this.#questions.eventAt(position));
  }

  async own(before: LogOwner | undefined, owner: LogOwner): Promise<boolean> {
    const { prefix = '', machine } = this.options;
    try {
      const record = await recordOf(this.connection.reads, prefix, this.known());
      if (record === undefined || record.missing === true || !isSame(record.owner, before)) return false;
      return await changeRecord(this.appends, prefix, record, { owner }, machine, this.connection);
    } catch (error) {
      if (error instanceof LogUnusable) throw error;
      throw new Unavailable(`the owner of the event log cannot be stored: ${reasonOf(error)}`);
    }
  }
}

function isSame(one: LogOwner | undefined, other: LogOwner | undefined): boolean {
  return one?.installation === other?.installation && one?.keys === other?.keys && one?.ledger === other?.ledger;
}
