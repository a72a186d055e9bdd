import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deal, stateAt } from '#catalogue/model';
import { later, Unavailable, type CommandContext, type Done, Writer, Keyring, Clock } from '#eventsourcing';
import type { EventBody, Instant, Position, Recorded } from '#kernel';
import { isTomorrow, scheduleId } from '../schedule/schedule-day.js';
import { recipientsFault, schedule } from '../schedule/schedule.decider.js';
import type { BatchMode, ScheduleEvent } from '../schedule/schedule.events.js';
import { noSchedule } from '../schedule/schedule.state.js';
import { batch } from './batch.decider.js';
import { BatchInvalid, timeFaults, type BatchFault, type SaleWindow } from './batch.faults.js';
import type { BatchRow } from './batch.row.js';
import { findRecipients } from './find-recipients.js';

/** A batch that a caller asks for. A parameter that is absent or wrong is undefined. */
export interface WantedBatch {
  readonly dealId: string | undefined;
  readonly sendAt: Instant | undefined;
  /** As sent: users, others' users, anything. */
  readonly userIds: readonly string[] | undefined;
  readonly mode: BatchMode | undefined;
  /** What the parameters alone show. */
  readonly faults: readonly BatchFault[];
}

/** Schedules a mail about a deal for some of a partner's users tomorrow (interface 4.14, rulings F1 to F3). */
export class CreateBatch extends Command<Done<BatchRow>> {
  constructor(
    readonly partnerId: string,
    readonly wanted: WantedBatch,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateBatch)
export class CreateBatchHandler implements ICommandHandler<CreateBatch> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** @throws BatchInvalid with every fault */
  async execute({ partnerId, wanted, context }: CreateBatch): Promise<Done<BatchRow>> {
    const { writer, clock, keyring } = this;
    const batch_id = keyring.deriveId(context.commandId, 0);
    const { dealId, sendAt, userIds, mode } = wanted;
    const day = sendAt === undefined ? undefined : scheduleId(partnerId, sendAt);
    if (context.resumed === true && day !== undefined) {
      // Asked first: since the first try the day may have come, or the deal may have ended.
      const { batches } = await writer.readNow(schedule, day);
      if (batches.has(batch_id)) return this.#answer(batch_id, day, undefined);
    }
    const now = clock.now();
    const faults = [...wanted.faults, ...timeFaults(await this.#windowOf(dealId), sendAt, now)];
    const known = userIds && (await findRecipients(writer, partnerId, userIds));
    const withUnknown = known !== undefined && known.length < new Set(userIds).size;
    if (faults.length > 0 || dealId === undefined || sendAt === undefined || !known || !mode || day === undefined) {
      const taken = day !== undefined && isTomorrow(sendAt ?? 0, now) ? await writer.read(schedule, day) : noSchedule;
      const fault = known && recipientsFault(known, withUnknown, taken);
      throw new BatchInvalid(fault === undefined ? faults : [...faults, fault]);
    }
    const made = { batch_id, partner_id: partnerId, deal_id: dealId, mode, send_at: sendAt, user_ids: known };
    const { position } = await writer.execute(schedule, day, { type: 'schedule', batch: made, withUnknown }, context);
    return this.#answer(batch_id, day, position);
  }

  /** The deal as it is now; null for an unknown one, undefined if none is named. */
  async #windowOf(dealId: string | undefined): Promise<SaleWindow | null | undefined> {
    if (dealId === undefined) return undefined;
    const found = await this.writer.read(deal, dealId);
    if (found === null) return null;
    const { start_at, end_at } = found.attributes;
    return { state: stateAt(found, this.clock.now()), start_at, end_at };
  }

  /** Writes the batch whose users have their places in the day, if an earlier try got no further. */
  #complete(day: string, id: string): Promise<Position | undefined> {
    const fits = (event: Recorded): boolean => {
      const { type, data } = event as EventBody as ScheduleEvent;
      return type === 'users-scheduled.v1' && data.batch_id === id;
    };
    return this.writer.complete(schedule, day, { fits });
  }

  /** The batch as it was made: a repeat shows the same, even if the batch has changed since. */
  async #answer(id: string, day: string, written: Position | undefined): Promise<Done<BatchRow>> {
    const { writer } = this;
    const known = await writer.read(batch, id);
    const position = known === null ? later(written, await this.#complete(day, id)) : written;
    const made = known ?? (await writer.read(batch, id));
    if (made === null) throw new Unavailable('the batch is being completed', 5);
    return { row: { ...made.row, status: 'pending' }, position };
  }
}
