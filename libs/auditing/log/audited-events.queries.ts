import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { WholeLog, Writer } from '#eventsourcing';
import { DomainError, notFound, type Instant, type Position, type Recorded } from '#kernel';
import { isStream, partOfStream, type PartOfStream } from './part-of-stream.js';

/** Events of one stream from a revision on. */
export class EventsOfStream extends Query<PartOfStream> {
  constructor(
    readonly stream: string,
    readonly from: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(EventsOfStream)
export class EventsOfStreamHandler implements IQueryHandler<EventsOfStream> {
  constructor(private readonly writer: Writer) {}

  async execute({ stream, from, limit }: EventsOfStream): Promise<PartOfStream> {
    const part = await partOfStream(this.writer, stream, from, limit);
    if (part.events.length === 0 && !(await isStream(this.writer, stream)))
      throw notFound('no stream has this name: a stream is a category, a dash and an id, such as deal-tram-28');
    return part;
  }
}

/** A bound of the part of the log to read: a position, or a moment by the clock of the service. */
export type Bound = { readonly position: Position } | { readonly time: Instant };

/** Which events of the log to read. */
export interface Asked {
  /** The first one, which must exist if it is a position. */
  readonly from?: Bound | undefined;
  /** The last one. */
  readonly to?: Bound | undefined;
  /** The whole actor, or its beginning before a `/`. */
  readonly actor?: string | undefined;
  /** Types, with their version or without. */
  readonly types?: readonly string[] | undefined;
}

/** Some events that were read one after another. */
export interface ReadEvents {
  readonly read: readonly Recorded[];
  /** Those of them that were asked for. */
  readonly events: readonly Recorded[];
}

/** A part of the log. */
export interface PartOfLog {
  /** The position up to which it is read. */
  readonly until: Position;
  /** Reads it. @param signal ends it early */
  read(signal: AbortSignal): AsyncIterable<ReadEvents>;
}

/** Events of the log, up to its end at the time of the call. */
export class EventsOfLog extends Query<PartOfLog> {
  constructor(readonly asked: Asked) {
    super();
  }
}

@QueryHandler(EventsOfLog)
export class EventsOfLogHandler implements IQueryHandler<EventsOfLog> {
  constructor(private readonly log: WholeLog) {}

  async execute({ asked }: EventsOfLog): Promise<PartOfLog> {
    const { log } = this;
    const { from, to, types = [] } = asked;
    const known = new Set(log.types.flatMap((type) => [type, withoutVersion(type)]));
    const unknown = types.find((type) => !known.has(type));
    if (unknown !== undefined) throw new DomainError('event_type_unknown', 'must be a type that docs/events.md lists');
    const at = from !== undefined && 'position' in from ? from.position : undefined;
    const first = at === undefined ? undefined : await log.at(at);
    if (at !== undefined && first === undefined) {
      const words = 'no event is at this position: send that of an event, or a moment';
      throw new DomainError('no_event_there', words);
    }
    const end = await log.end();
    const until = to !== undefined && 'position' in to && to.position < end ? to.position : end;
    const fits = fitting(asked);
    const select = (read: readonly Recorded[]): ReadEvents => ({ read, events: read.filter(fits) });
    return {
      until,
      async *read(signal) {
        if (first !== undefined && first.position <= until) yield select([first]);
        for await (const read of log.between(first?.position ?? 0n, until, signal)) yield select(read);
      },
    };
  }
}

const withoutVersion = (type: string): string => type.replace(/\.v\d+$/, '');

/** Whether an event is among those that are asked for, by all but its position. */
function fitting({ from, to, actor, types }: Asked): (event: Recorded) => boolean {
  const since = from !== undefined && 'time' in from ? from.time : -Infinity;
  const until = to !== undefined && 'time' in to ? to.time : Infinity;
  const asked = types && new Set(types);
  return ({ type, metadata: { time, actor: who } }) =>
    time >= since &&
    time <= until &&
    (actor === undefined || who === actor || who.startsWith(`${actor}/`)) &&
    (asked === undefined || asked.has(type) || asked.has(withoutVersion(type)));
}
