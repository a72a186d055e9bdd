import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Slices, Time, Unavailable, UnreadableEvent, WholeLog, Writer } from '#eventsourcing';
import { DomainError, streamName, type Position, type Recorded } from '#kernel';
import { DealExport, type ReadStreams } from './deal-export.js';
import type { ExportBegin, ExportLine } from './exported-event.js';

/** A line of an export: what it says, and its text with its end. */
export interface LineOfDeal {
  readonly line: ExportLine;
  readonly text: string;
}

/** The events of one deal. */
export interface EventsOfDealFound {
  readonly begin: ExportBegin;
  /** The lines after the first one and before the last one. @param signal ends them early */
  lines(signal: AbortSignal): AsyncGenerator<LineOfDeal>;
}

/** The events of one deal, up to a position of the log; up to its end by default. */
export class EventsOfDeal extends Query<EventsOfDealFound> {
  constructor(
    readonly dealId: string,
    readonly until: Position | undefined,
  ) {
    super();
  }
}

/** Events that are read at once: few enough that other calls wait no longer than for a page of a list. */
const PAGE = 200;

@QueryHandler(EventsOfDeal)
export class EventsOfDealHandler implements IQueryHandler<EventsOfDeal> {
  constructor(
    private readonly writer: Writer,
    private readonly log: WholeLog,
    @Inject(Time) private readonly time: Time,
  ) {}

  async execute({ dealId, until }: EventsOfDeal): Promise<EventsOfDealFound> {
    const { writer, log, time } = this;
    const last = await log.at(until ?? (await log.end()));
    if (last === undefined)
      throw new DomainError('no_event_until', 'no event is at this position: send that of an event');
    const streams = [streamName('inventory', dealId), streamName('deal', dealId)];
    const found = await Promise.all(streams.map((stream) => this.#read(stream, 0)));
    if (found.every((events) => events?.length === 0)) throw new DomainError('deal_not_found', 'Unable to find');
    const read: ReadStreams = {
      until: { position: last.position, time: last.metadata.time },
      read: (stream, from) => this.#read(stream, from),
      whole: (stream) => unlessUnreadable(writer.events(stream)),
    };
    const deal = new DealExport(read, dealId);
    return { begin: deal.begin, lines: (signal) => linesOf(deal, signal, time) };
  }

  /** A page; only its first event if it has one that nobody can read. */
  async #read(stream: string, from: number): Promise<readonly Recorded[] | undefined> {
    const page = await unlessUnreadable(this.writer.events(stream, { from, most: PAGE }));
    return page ?? unlessUnreadable(this.writer.events(stream, { from, most: 1 }));
  }
}

/** @throws what does not speak of these events alone */
async function unlessUnreadable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof UnreadableEvent || (error instanceof Unavailable && error.stream !== undefined))
      return undefined;
    throw error;
  }
}

async function* linesOf(deal: DealExport, signal: AbortSignal, time: Time): AsyncGenerator<LineOfDeal> {
  const slices = new Slices(time);
  for await (const lines of deal.lines()) {
    for (const line of lines) {
      if (slices.isOver) await slices.next();
      if (signal.aborted) return;
      yield { line, text: `${JSON.stringify(line)}\n` };
    }
  }
}
