import { BoundedSemaphore, newContext, Unavailable, type CommandContext, type Engine, type Work } from '#eventsourcing';
import { SECOND } from '#kernel';
import { MAIL_CONNECTIONS } from '#kernel/bounds';
import type { Mail, Mailer, MailOutcome } from '../mail/index.js';
import { batchDeliveries } from './batch-deliveries.work.js';
import { batch } from './batch.decider.js';
import type { SkipReason } from './batch.events.js';
import type { BatchRow } from './batch.row.js';
import { HELD_UP } from '../tries.rules.js';
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
 * Sends the mails of batches (ruling F4). A recipient is taken by an event before their mail is handed over, so of two senders
 * one leaves them to the other, and a crash loses nothing: whoever comes next goes on with those who have no outcome.
 */
export class BatchDelivery {
  readonly #slots = new BoundedSemaphore({ atOnce: TOGETHER, waiting: Infinity, refusal: 'too many mails wait' });
  #stopping = false;

  constructor(
    private readonly engine: Pick<Engine, 'loop' | 'clock' | 'time' | 'randomness'>,
    private readonly mailer: Mailer,
    private readonly recipients: Recipients,
    private readonly onRefused: OnRefused,
  ) {}

  get work(): Work {
    return { list: batchDeliveries, run: (batchId) => this.#run(batchId) };
  }

  /** Begins no more mails. Those under way get their outcome. */
  stop(): void {
    this.#stopping = true;
  }

  /**
   * @throws Unavailable if its turn ended before all were taken
   * @throws Error if recipients are left because of a refused stream
   */
  async #run(batchId: string): Promise<void> {
    const { loop, clock, time } = this.engine;
    const context = newContext(this.engine, `system:${batchDeliveries.name}`);
    const state = await loop.readNow(batch, batchId);
    if (state === null) return;
    const due = dueRecipients(state, clock.now());
    const until = time.monotonic() + TURN;
    const refused = new RefusedStreams(this.onRefused);
    let taken = 0;
    const sender = async (): Promise<void> => {
      while (!this.#stopping && time.monotonic() < until) {
        const userId = due[taken++];
        if (userId === undefined) return;
        await refused.pass(this.#slots.run(() => this.#deliver(state.row, userId, context)));
      }
    };
    const senders = await Promise.allSettled(Array.from({ length: TOGETHER }, sender));
    const broken = senders.find((each) => each.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    if (this.#stopping) return;
    if (taken < due.length) throw new Unavailable('the next mails of the batch have their turn soon');
    refused.end();
    await loop.execute(batch, batchId, { type: 'pause' }, context);
  }

  async #deliver(row: BatchRow, user_id: string, context: CommandContext): Promise<void> {
    const { loop, clock } = this.engine;
    const { batch_id } = row;
    const mail = await this.recipients.find(row, user_id);
    if (typeof mail === 'string') {
      await loop.execute(batch, batch_id, { type: 'skip', user_id, reason: mail }, context);
      return;
    }
    if (this.#stopping) return;
    const { events } = await loop.execute(batch, batch_id, { type: 'attempt', user_id }, context);
    const taken = events.find((event) => event.type === 'delivery-attempted.v1');
    if (taken === undefined || clock.now() - taken.data.attempted_at > HELD_UP) return;
    const outcome = await this.mailer.send(mail);
    if (this.#isCutOff(outcome)) return;
    await loop.execute(batch, batch_id, { type: 'note', user_id, attempt: taken.data.attempt, outcome }, context);
  }

  /** A stop that cut the connection is like a crash: the mail is sent again under the same Message-ID. */
  #isCutOff({ kind }: MailOutcome): boolean {
    return this.#stopping && (kind === 'unknown' || kind === 'delayed');
  }
}
