import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { later, type CommandContext, type Done, Writer } from '#eventsourcing';
import { batch } from './batch.decider.js';
import { BatchInvalid, type BatchFault, type NamedDeal } from './batch.faults.js';
import type { BatchRow } from './batch.row.js';
import { hasBegun } from './delivery.rules.js';
import { guardFaults, ownBatch } from './find-batch.js';

/** Cancels a batch, which frees its users for another batch of that day (interface 3.5, ruling F3). */
export class CancelBatch extends Command<Done<BatchRow>> {
  constructor(
    readonly partnerId: string,
    readonly batchId: string,
    /** The deal that the batch must be about. */
    readonly dealId: NamedDeal,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CancelBatch)
export class CancelBatchHandler implements ICommandHandler<CancelBatch> {
  constructor(private readonly writer: Writer) {}

  /** @throws BatchInvalid with every fault */
  async execute({ partnerId, batchId, dealId, context }: CancelBatch): Promise<Done<BatchRow>> {
    const { writer } = this;
    const known = await writer.readNow(batch, batchId);
    const faults: BatchFault[] = [...(await guardFaults(writer, ownBatch(known?.row, partnerId), dealId))];
    if (known !== null && hasBegun(known)) faults.push({ field: 'batch_id', code: 'processed' });
    if (faults.length > 0) throw new BatchInvalid(faults);
    const { state, events, position } = await writer.execute(batch, batchId, { type: 'cancel' }, context);
    const row = ownBatch(state?.row, partnerId);
    // No new event: an earlier try cancelled it, and may have died before it freed the users.
    if (events.length > 0) return { row, position };
    await writer.shown(batch, batchId);
    return {
      row,
      position: later(
        position,
        await writer.complete(batch, batchId, { fits: ({ type }) => type === 'batch-cancelled.v1' }),
      ),
    };
  }
}
