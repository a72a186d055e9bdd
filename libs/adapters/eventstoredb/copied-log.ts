import { type CopiedLog, type EventLine, lineOf } from '#backup';
import { LogUnusable } from '#eventsourcing';
import type { Position } from '#kernel';
import { EventStoreDbLogReader } from './eventstoredb-log-reader.js';
import type { EventStoreDbOptions } from './options.js';

/** Events of a part. */
const PART = 1_000;

/** A log on EventStoreDB as a backup copies it. */
export class CopiedEventStoreDbLog implements CopiedLog {
  readonly engine = 'eventstoredb';

  private constructor(private readonly reader: EventStoreDbLogReader) {}

  /** @throws LogUnusable if the server has no log with this prefix; Unavailable if it does not answer */
  static async open(
    options: Pick<EventStoreDbOptions, 'url' | 'prefix' | 'categories' | 'onNotice'>,
  ): Promise<CopiedEventStoreDbLog> {
    if (!(await EventStoreDbLogReader.exists(options))) {
      throw new LogUnusable(
        `the server of EVENTSTORE_URL has no event log with the prefix ${JSON.stringify(options.prefix)}: set EVENTSTORE_PREFIX as the service has it`,
      );
    }
    return new CopiedEventStoreDbLog(await EventStoreDbLogReader.open(options));
  }

  get identity(): string {
    return this.reader.identity;
  }

  async owner(): Promise<{ readonly installation: string; readonly ledger?: string | undefined } | undefined> {
    return (await this.reader.record())?.owner;
  }

  head(): Promise<Position> {
    return this.reader.head();
  }

  async idAt(position: Position): Promise<string | undefined> {
    return (await this.reader.eventAt(position))?.id;
  }

  /** Positions count bytes. */
  countAfter(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async *events(after: Position, upTo: Position): AsyncGenerator<readonly EventLine[], void, void> {
    if (after >= upTo) return;
    const end = new AbortController();
    try {
      for await (const { events, caughtUp } of this.reader.subscribe(after, PART, end.signal)) {
        const wanted = events.filter(({ position }) => position <= upTo);
        if (wanted.length > 0) yield wanted.map(lineOf);
        const last = events.at(-1)?.position;
        if (last !== undefined && last >= upTo) return;
        if (caughtUp && events.length === 0) return;
      }
    } finally {
      end.abort();
    }
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}
