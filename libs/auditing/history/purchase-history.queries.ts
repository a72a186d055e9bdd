import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Slices, Writer, Reader, Keyring, Time } from '#eventsourcing';
import { causationOf, notFound, eventPlace, streamName, type Recorded } from '#kernel';
import { DealDetails, dealsNamedBy, stockEventsOf, streamsOfPurchase, type DealAsSold } from '#purchasing';

/** The result of `PurchaseHistory`. */
export interface EventsOfPurchase {
  /** In the order of the log. */
  readonly events: readonly Recorded[];
  /** The deal as sold: once, and once more for each other revision that a coupon which was issued again shows (ruling I2). */
  readonly deals: readonly (DealAsSold & { readonly id: string; readonly revision: number })[];
  /** The events that the log lacks because somebody cut a stream, which an operator has accepted: `stream@revision`. */
  readonly missing: readonly string[];
}

/** Every event of a purchase in log order: of its reservation, the purchase itself, its coupons and the deal's stock. */
export class PurchaseHistory extends Query<EventsOfPurchase> {
  constructor(readonly purchaseId: string) {
    super();
  }
}

/** Streams or events that are read at once. */
const TOGETHER = 100;

@QueryHandler(PurchaseHistory)
export class PurchaseHistoryHandler implements IQueryHandler<PurchaseHistory> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
    @Inject(Time) private readonly time: Time,
    private readonly details: DealDetails,
  ) {}

  async execute({ purchaseId }: PurchaseHistory): Promise<EventsOfPurchase> {
    const streams = await streamsOfPurchase(this.writer, this.keyring, purchaseId);
    const parts = await this.#each(streams, (stream) => this.writer.events(stream));
    const own = parts.flat();
    if (own.length === 0) throw notFound('no purchase has this id');
    // The stock's events are the causes of these events (each names its cause) and the events that followed from them.
    const causes = own.map((event) => event.metadata.causation).filter((cause) => cause !== null);
    const elsewhere = new Set([...causes, ...(await stockEventsOf(this.reader, purchaseId))]);
    for (const event of own) elsewhere.delete(causationOf(event));
    const others = await this.#each([...elsewhere], async (at) => (await this.#eventAt(at)) ?? at);
    const found = others.filter((each) => typeof each !== 'string');
    const events = [...own, ...found].sort((a, b) => (a.position < b.position ? -1 : 1));
    const sold = await this.#each(dealsNamedBy(events), async ({ id, revision }) => {
      const deal = await this.details.asSold(id, revision);
      return deal === undefined ? `${streamName('deal', id)}@${revision}` : { id, revision, ...deal };
    });
    return {
      events,
      deals: sold.filter((each) => typeof each !== 'string'),
      missing: [parts.flatMap(lackedBy), others, sold].flat().filter((each) => typeof each === 'string'),
    };
  }

  /** Reads some at a time, so that other calls are served in between: a large purchase has thousands of streams and events. */
  async #each<Place, Result>(places: readonly Place[], read: (place: Place) => Promise<Result>): Promise<Result[]> {
    const slices = new Slices(this.time);
    const results: Result[] = [];
    for (let from = 0; from < places.length; from += TOGETHER) {
      if (slices.isOver) await slices.next();
      results.push(...(await Promise.all(places.slice(from, from + TOGETHER).map(read))));
    }
    return results;
  }

  async #eventAt(cause: string): Promise<Recorded | undefined> {
    const place = eventPlace(cause);
    return place && this.writer.event(place.stream, place.revision);
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
