import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { deal } from '#catalogue/model';
import { Writer } from '#eventsourcing';
import { DomainError, streamName } from '#kernel';
import { unitsAfterEvent } from '#purchasing';
import type { Units } from '#purchasing/model';
import { partOfStream } from '../log/part-of-stream.js';
import { entriesOf, NO_UNITS, type LedgerEntry } from './stock-ledger.js';

/** A part of the ledger of a deal's stock. */
export interface PartOfLedger {
  readonly entries: readonly LedgerEntry[];
  /** The revision where the next part begins; undefined if there are no more events now. */
  readonly next: number | undefined;
}

/** The changes of a deal's units, among so many events of its inventory from a revision on. */
export class LedgerOfDeal extends Query<PartOfLedger> {
  constructor(
    readonly dealId: string,
    readonly from: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(LedgerOfDeal)
export class LedgerOfDealHandler implements IQueryHandler<LedgerOfDeal> {
  constructor(private readonly writer: Writer) {}

  async execute({ dealId, from, limit }: LedgerOfDeal): Promise<PartOfLedger> {
    const { writer } = this;
    const stream = streamName('inventory', dealId);
    const { events, next } = await partOfStream(writer, stream, from, limit);
    const [first] = events;
    if (first !== undefined)
      return { entries: entriesOf(events, await unitsBefore(writer, stream, first.revision)), next };
    if ((await writer.readNow(deal, dealId)) === null) throw new DomainError('deal_not_found', 'Unable to find');
    return { entries: [], next };
  }
}

/** Events that are read at once at most, when those before them told no units. */
const MOST_BACK = 128;

/** The units of a deal before an event of its inventory: the event before tells them, unless it set only the terms. */
async function unitsBefore(writer: Writer, stream: string, revision: number): Promise<Units> {
  let end = revision;
  for (let size = 1; end > 0; size = Math.min(2 * size, MOST_BACK)) {
    const begin = Math.max(0, end - size);
    const units = await lastUnits(writer, stream, begin, end);
    if (units !== undefined) return units;
    end = begin;
  }
  return NO_UNITS;
}

/** The units that the last of these events told, if any did. */
async function lastUnits(writer: Writer, stream: string, begin: number, end: number): Promise<Units | undefined> {
  let units: Units | undefined;
  for (let from = begin; from < end;) {
    // A log may give fewer than asked for; one that was cut may give later ones.
    const events = (await writer.events(stream, { from, most: end - from })).filter(({ revision }) => revision < end);
    for (const event of events) units = unitsAfterEvent(event) ?? units;
    from = (events.at(-1)?.revision ?? end) + 1;
  }
  return units;
}
