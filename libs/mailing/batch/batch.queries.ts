import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { having, type Listed, NEWEST_FIRST, type Paging, type Where, Writer, Reader } from '#eventsourcing';
import type { Position } from '#kernel';
import { MOST_EXAMINED } from '#kernel/bounds';
import { BatchInvalid, type NamedDeal } from './batch.faults.js';
import type { BatchRow, BatchStatus } from './batch.row.js';
import { type BatchField, batchesView } from './batch.view.js';
import { guardFaults, ownBatch } from './find-batch.js';

/** One batch of a partner (interface 4.14). */
export class FindBatch extends Query<BatchRow> {
  constructor(
    readonly partnerId: string,
    readonly batchId: string,
    /** The deal that the batch must be about. */
    readonly dealId: NamedDeal,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(FindBatch)
export class FindBatchHandler implements IQueryHandler<FindBatch> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  /** @throws BatchInvalid with every fault of the deal that guards it */
  async execute({ partnerId, batchId, dealId, since }: FindBatch): Promise<BatchRow> {
    const row = ownBatch(await this.reader.row(batchesView, batchId, since), partnerId);
    const faults = await guardFaults(this.writer, row, dealId);
    if (faults.length > 0) throw new BatchInvalid(faults);
    return row;
  }
}

/** What narrows a list of batches; an absent part narrows nothing. */
export interface BatchFilters {
  readonly deal_id?: string | undefined;
  readonly status?: BatchStatus | undefined;
}

/** The batches of a partner, newest first. */
export class ListBatches extends Query<Listed<BatchRow>> {
  constructor(
    readonly partnerId: string,
    readonly filters: BatchFilters,
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListBatches)
export class ListBatchesHandler implements IQueryHandler<ListBatches> {
  constructor(private readonly reader: Reader) {}

  /** @throws DomainError page_too_large | list_too_costly */
  execute(asked: ListBatches): Promise<Listed<BatchRow>> {
    return this.reader.list(batchesView, whereBatches(asked.partnerId, asked.filters), asked, NEWEST_FIRST, BOUND);
  }
}

const BOUND = { examine: MOST_EXAMINED, narrowedBy: 'deal_id' };

/** Finds the batches of a partner that have all of this. */
export function whereBatches(partnerId: string, { deal_id, status }: BatchFilters): Where<BatchField> {
  return having<BatchField>(['deal_id', deal_id], ['partner_id', partnerId], ['status', status]);
}
