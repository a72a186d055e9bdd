import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, readWhole } from '#eventsourcing';
import { causationOf, notFound, eventPlace, type Recorded } from '#kernel';
import { stockEventsOf, streamsOfPurchase } from '#purchasing';

/** Every event of a purchase in log order: of its reservation, the purchase itself, its coupons and the deal's stock. */
export class PurchaseHistory {
  constructor(readonly purchaseId: string) {}
}

@QueryHandler(PurchaseHistory)
export class PurchaseHistoryHandler implements IQueryHandler<PurchaseHistory, readonly Recorded[]> {
  constructor(
    @Inject(Engine) private readonly engine: Pick<Engine, 'loop' | 'log' | 'codec' | 'views' | 'freshness' | 'keyring'>,
  ) {}

  async execute({ purchaseId }: PurchaseHistory): Promise<readonly Recorded[]> {
    const streams = await streamsOfPurchase(this.engine, purchaseId);
    const own = (await Promise.all(streams.map((stream) => readWhole(this.engine, stream)))).flat();
    if (own.length === 0) throw notFound('no purchase has this id');
    // The stock's events are the causes of these events (each names its cause) and the events that followed from them.
    const causes = own.map((event) => event.metadata.causation).filter((cause) => cause !== null);
    const elsewhere = new Set([...causes, ...(await stockEventsOf(this.engine, purchaseId))]);
    for (const event of own) elsewhere.delete(causationOf(event));
    const others = await Promise.all([...elsewhere].map((at) => this.#eventAt(at)));
    return [...own, ...others].sort((a, b) => (a.position < b.position ? -1 : 1));
  }

  async #eventAt(cause: string): Promise<Recorded> {
    const place = eventPlace(cause);
    const [event] = place === undefined ? [] : await this.engine.log.readStream(place.stream, place.revision, 1);
    if (event === undefined) throw new Error(`the log has no event ${cause}`);
    return this.engine.codec.decode(event);
  }
}
