import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, readWhole, Slices } from '#eventsourcing';
import { causationOf, notFound, eventPlace, type Recorded } from '#kernel';
import { stockEventsOf, streamsOfPurchase } from '#purchasing';

/** Every event of a purchase in log order: of its reservation, the purchase itself, its coupons and the deal's stock. */
export class PurchaseHistory {
  constructor(readonly purchaseId: string) {}
}

/** Streams or events that are read at once. */
const TOGETHER = 100;

@QueryHandler(PurchaseHistory)
export class PurchaseHistoryHandler implements IQueryHandler<PurchaseHistory, readonly Recorded[]> {
  constructor(
    @Inject(Engine)
    private readonly engine: Pick<Engine, 'loop' | 'log' | 'codec' | 'views' | 'freshness' | 'keyring' | 'time'>,
  ) {}

  async execute({ purchaseId }: PurchaseHistory): Promise<readonly Recorded[]> {
    const streams = await streamsOfPurchase(this.engine, purchaseId);
    const own = (await this.#each(streams, (stream) => readWhole(this.engine, stream))).flat();
    if (own.length === 0) throw notFound('no purchase has this id');
    // The stock's events are the causes of these events (each names its cause) and the events that followed from them.
    const causes = own.map((event) => event.metadata.causation).filter((cause) => cause !== null);
    const elsewhere = new Set([...causes, ...(await stockEventsOf(this.engine, purchaseId))]);
    for (const event of own) elsewhere.delete(causationOf(event));
    const others = await this.#each([...elsewhere], (at) => this.#eventAt(at));
    return [...own, ...others].sort((a, b) => (a.position < b.position ? -1 : 1));
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

  async #eventAt(cause: string): Promise<Recorded> {
    const place = eventPlace(cause);
    const [event] = place === undefined ? [] : await this.engine.log.readStream(place.stream, place.revision, 1);
    if (event === undefined) throw new Error(`the log has no event ${cause}`);
    return this.engine.codec.decode(event);
  }
}
