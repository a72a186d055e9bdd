import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Reader, WholeLog, Writer } from '#eventsourcing';
import { DomainError, notFound, type Position, type Recorded } from '#kernel';
import { eventIndexView } from '../event-index/event-index.view.js';
import { IndexSearch } from '../event-index/index-search.js';
import { isRole, ROLES, termsFor, withoutVersion } from '../event-index/terms.js';
import type { ReadEvents } from '../event/batch-read.js';
import { type Asked, fitting, type PartOfLog } from './part-of-log.js';
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

/** Events of the log, up to its end at the time of the call. */
export class EventsOfLog extends Query<PartOfLog> {
  constructor(readonly asked: Asked) {
    super();
  }
}

@QueryHandler(EventsOfLog)
export class EventsOfLogHandler implements IQueryHandler<EventsOfLog> {
  readonly #search: IndexSearch;

  constructor(
    private readonly log: WholeLog,
    private readonly reader: Reader,
  ) {
    this.#search = new IndexSearch(reader, log);
  }

  async execute({ asked }: EventsOfLog): Promise<PartOfLog> {
    const { from, to, actor, types, last } = asked;
    assertKnown(this.log, asked);
    const wanted = termsFor(actor, types);
    const isIndexed = wanted.length > 0;
    if (last !== undefined && !isIndexed) throw new DomainError('last_of_all', 'needs an actor or a type too');
    const at = from !== undefined && 'position' in from ? from.position : undefined;
    const first = at === undefined ? undefined : await this.log.at(at);
    if (at !== undefined && first === undefined) {
      const words = 'no event is at this position: send that of an event, or a moment';
      throw new DomainError('no_event_there', words);
    }
    const end = await this.log.end();
    const until = to !== undefined && 'position' in to && to.position < end ? to.position : end;
    const fits = fitting(asked);
    if (!isIndexed) return { until, read: (signal) => this.#walk(first, until, fits, signal) };
    await this.reader.until([eventIndexView], until);
    const sought = { wanted, within: { first: at ?? 0n, last: until }, fits };
    if (last === undefined) return { until, read: (signal) => this.#search.all(sought, signal) };
    return { until, read: (signal) => this.#search.last(last, sought, signal) };
  }

  /** Reads every event. */
  async *#walk(
    first: Recorded | undefined,
    until: Position,
    fits: (event: Recorded) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<ReadEvents, void, void> {
    const select = (read: readonly Recorded[]): ReadEvents => ({ read, events: read.filter(fits) });
    if (first !== undefined && first.position <= until) yield select([first]);
    for await (const read of this.log.between(first?.position ?? 0n, until, signal)) yield select(read);
  }
}

/** @throws DomainError if nothing can have this type, or this actor */
function assertKnown(log: WholeLog, { actor, types = [] }: Asked): void {
  const known = new Set(log.types.flatMap((type) => [type, withoutVersion(type)]));
  const unknown = types.find((type) => !known.has(type));
  if (unknown !== undefined) throw new DomainError('event_type_unknown', 'must be a type that docs/events.md lists');
  if (actor === undefined || actor.includes(':') || isRole(actor)) return;
  throw new DomainError('actor_unknown', `must be ${ROLES.join(', ')}, or an actor such as operator:ann`);
}
