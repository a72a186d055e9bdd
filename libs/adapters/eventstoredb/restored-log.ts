import type { EventColumns } from '#backup';
import { type Append, type LogOwner, MAX_APPEND_BYTES, MAX_APPEND_EVENTS } from '#eventsourcing';
import type { Position } from '#kernel';
import { EventStoreDbLog } from './eventstoredb-log.js';
import { EventStoreDbLogReader } from './eventstoredb-log-reader.js';
import type { EventStoreDbOptions } from './options.js';

/** A new log on EventStoreDB, which gets the events of a backup. Their order is that of the backup: each append waits for the last. */
export class RestoredEventStoreDbLog {
  #last: Position = 0n;

  private constructor(private readonly log: EventStoreDbLog) {}

  /** Whether the server has no log with this prefix. */
  static async isEmpty(options: Pick<EventStoreDbOptions, 'url' | 'prefix' | 'categories'>): Promise<boolean> {
    return !(await EventStoreDbLogReader.exists(options));
  }

  static async begin(
    options: Pick<EventStoreDbOptions, 'url' | 'prefix' | 'categories'>,
    owner: LogOwner,
  ): Promise<RestoredEventStoreDbLog> {
    const log = await EventStoreDbLog.open(options);
    if (!(await log.own(undefined, owner))) {
      await log.close();
      throw new Error('another installation has taken the event log on EVENTSTORE_URL: name another EVENTSTORE_PREFIX');
    }
    return new RestoredEventStoreDbLog(log);
  }

  get identity(): string {
    return this.log.identity;
  }

  /** The position of the last event. */
  get last(): Position {
    return this.#last;
  }

  async add(events: readonly EventColumns[]): Promise<void> {
    for (const append of appendsOf(events)) {
      const [result] = await this.log.append([append]);
      if (result?.kind !== 'written') {
        throw new Error(`${append.stream} could not be written to EVENTSTORE_URL: another process writes to this log`);
      }
      this.#last = result.position;
    }
  }

  async finish(): Promise<void> {
    await this.log.close();
  }

  /** What was written stays: nobody removes events from a server. */
  async discard(): Promise<void> {
    await this.log.close();
  }
}

/** Appends with events that follow each other in one stream. */
function appendsOf(events: readonly EventColumns[]): readonly Append[] {
  const appends: { stream: string; expected: number; events: Append['events'][number][]; bytes: number }[] = [];
  for (const { stream, revision, id, type, data, time, command_id, correlation, causation, actor } of events) {
    const metadata = { time, command_id, correlation, causation, actor };
    const event = { id, type, data: JSON.parse(data) as object, metadata };
    const bytes = Buffer.byteLength(data);
    const open = appends.at(-1);
    const fits =
      open?.stream === stream && open.events.length < MAX_APPEND_EVENTS && open.bytes + bytes <= MAX_APPEND_BYTES;
    if (fits) {
      open.events.push(event);
      open.bytes += bytes;
    } else appends.push({ stream, expected: revision - 1, events: [event], bytes });
  }
  return appends;
}
