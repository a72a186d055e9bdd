import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, readEvent, readWhole, Slices } from '#eventsourcing';
import { causationOf, notFound, eventPlace, type Recorded } from '#kernel';
import { stockEventsOf, streamsOfPurchase } from '#purchasing';

/** The result of `PurchaseHistory`. */
export interface EventsOfPurchase {
  /** In the order of the log. */
  readonly events: readonly Recorded[];
  /** The events that the log lacks because somebody cut a stream, which an operator has accepted: `stream@revision`. */
  readonly missing: readonly string[];
}

/** Every event of a purchase in log order: of its reservation, the purchase itself, its coupons and the deal's stock. */
export class PurchaseHistory {
  constructor(readonly purchaseId: string) {}
}

/** Streams or events that are read at once. */
const TOGETHER = 100;

@QueryHandler(PurchaseHistory)
export class PurchaseHistoryHandler implements IQueryHandler<PurchaseHistory, EventsOfPurchase> {
  constructor(
    @Inject(Engine)
    private readonly engine: Pick<Engine, 'loop' | 'log' | 'codec' | 'views' | 'freshness' | 'keyring' | 'time'>,
  ) {}

  async execute({ purchaseId }: PurchaseHistory): Promise<EventsOfPurchase> {
    const streams = await streamsOfPurchase(this.engine, purchaseId);
    const parts = await this.#each(streams, (stream) => readWhole(this.engine, stream));
    const own = parts.flat();
    if (own.length === 0) throw notFound('no purchase has this id');
    // The stock's events are the causes of these events (each names its cause) and the events that followed from them.
    const causes = own.map((event) => event.metadata.causation).filter((cause) => cause !== null);
    const elsewhere = new Set([...causes, ...(await stockEventsOf(this.engine, purchaseId))]);
    for (const event of own) elsewhere.delete(causationOf(event));
    const others = await this.#each([...elsewhere], async (at) => (await this.#eventAt(at)) ?? at);
    const found = others.filter((each) => typeof each !== 'string');
    return {
      events: [...own, ...found].sort((a, b) => (a.position < b.position ? -1 : 1)),
      missing: [...parts.flatMap(lackedBy), ...others.filter((each) => typeof each === 'string')],
    };
  }

  /** Reads some at a time, so that other calls are served in between: a large purchase has thousands of streams and events. */
  async #each<Result>(places: readonly string[], read: (place: string) => Promise<Result>): Promise<Result[]> {
    const slices = new Slices(this.engine.time);
    const results: Result[] = [];
    for (let from = 0; from < places.length; from += TOGETHER) {
      if (slices.isOver) await slices.next();
      results.push(...(await Promise.all(places.slice(from, from + TOGETHER).map(read))));
    }
    return results;
  }

  async #eventAt(cause: string): Promise<Recorded | undefined> {
    const place = eventPlace(cause);
    const event = place && (await readEvent(this.engine.log, place.stream, place.revision));
    return event && this.engine.codec.decode(event);
  }
}

/** The events that a stream's events do not begin with, or that are not between them. */
function lackedBy(events: readonly Recorded[]): string[] {
  let next = 0;
  return events.flatMap(({ stream, revision }) => {
    const lacked = Array.from({ length: revision - next }, (_, index) => `${stream}@${next + index}`);
    next = revision + 1;
    return lacked;
  });
}
