import {
  BoundedSemaphore,
  Unavailable,
  type CommandContext,
  type Work,
  type Writer,
  type Clock,
  type Time,
} from '#eventsourcing';
import { SECOND } from '#kernel';
import { MAIL_CONNECTIONS } from '#kernel/bounds';
import { HandOver } from '../hand-over.js';
import type { Mail, Mailer } from '../mail/index.js';
import { batchDeliveries } from './batch-deliveries.work.js';
import { batch } from './batch.decider.js';
import type { SkipReason } from './batch.events.js';
import type { BatchRow } from './batch.row.js';
import { RefusedStreams, type OnRefused } from '../refused-streams.js';
import { dueRecipients } from './delivery.rules.js';

/** Mails under way at a time, of all batches together: while one is noted in the log, its connection takes the next. */
const TOGETHER = 2 * MAIL_CONNECTIONS.together;
/** How long a batch is sent at a time, in milliseconds: a batch that becomes due meanwhile must not wait for all of it. */
const TURN = 20 * SECOND;

/** Finds what a recipient gets: a mail, or nothing for a reason (ruling H3). */
export interface Recipients {
  find(batch: BatchRow, userId: string): Promise<Mail | SkipReason>;
}

/**
 * Sends the mails of batches (ruling F4). A crash loses nothing: whoever comes next goes on with those who have no outcome.
 */
export class BatchDelivery {
  readonly #slots = new BoundedSemaphore({ atOnce: TOGETHER, waiting: Infinity, refusal: 'too many mails wait' });
  readonly #handOver: HandOver;

  constructor(
    private readonly writer: Writer,
    private readonly clock: Clock,
    private readonly time: Time,
    mailer: Mailer,
    private readonly recipients: Recipients,
    private readonly onRefused: OnRefused,
  ) {
    this.#handOver = new HandOver(clock, mailer);
  }

  get work(): Work {
    return { list: batchDeliveries, run: (batchId) => this.#run(batchId) };
  }

  /** Begins no more mails. Those under way get their outcome. */
  stop(): void {
    this.#handOver.stop();
  }

  /**
   * @throws Unavailable if its turn ended before all were taken
   * @throws Error if recipients are left because of a refused stream
   */
  async #run(batchId: string): Promise<void> {
    const { writer, clock, time } = this;
    const context = this.writer.newContext(`system:${batchDeliveries.name}`);
    const state = await writer.readNow(batch, batchId);
    if (state === null) return;
    const due = dueRecipients(state, clock.now());
    const until = time.monotonic() + TURN;
    const refused = new RefusedStreams(this.onRefused);
    let taken = 0;
    const sender = async (): Promise<void> => {
      while (!this.#handOver.isStopping && time.monotonic() < until) {
        const userId = due[taken++];
        if (userId === undefined) return;
        await refused.pass(this.#slots.run(() => this.#deliver(state.row, userId, context)));
      }
    };
    const senders = await Promise.allSettled(Array.from({ length: TOGETHER }, sender));
    const broken = senders.find((each) => each.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    if (this.#handOver.isStopping) return;
    if (taken < due.length) throw new Unavailable('the next mails of the batch have their turn soon');
    refused.end();
    await writer.execute(batch, batchId, { type: 'pause' }, context);
  }

  async #deliver(row: BatchRow, user_id: string, context: CommandContext): Promise<void> {
    const { writer } = this;
    const { batch_id } = row;
    await this.#handOver.run<SkipReason>(await this.recipients.find(row, user_id), {
      skip: (reason) => writer.execute(batch, batch_id, { type: 'skip', user_id, reason }, context),
      async take() {
        const { events } = await writer.execute(batch, batch_id, { type: 'attempt', user_id }, context);
        return events.find((event) => event.type === 'delivery-attempted.v1')?.data;
      },
      note: (attempt, outcome) => writer.execute(batch, batch_id, { type: 'note', user_id, attempt, outcome }, context),
    });
  }
}
