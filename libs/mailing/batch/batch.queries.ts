import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Writer, Reader } from '#eventsourcing';
import type { Position } from '#kernel';
import { BatchInvalid, type NamedDeal } from './batch.faults.js';
import type { BatchRow } from './batch.row.js';
import { batchesView } from './batch.view.js';
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
