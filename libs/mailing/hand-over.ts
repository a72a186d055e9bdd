import type { MovableClock } from '#eventsourcing';
import type { Instant } from '#kernel';
import type { Mail, Mailer, MailOutcome } from './mail/index.js';
import { HELD_UP } from './tries.rules.js';

/** A try of a mail, as the event says with which a sender took it. */
export interface Taken {
  readonly attempt: number;
  readonly attempted_at: Instant;
}

/** What the stream of a mail notes of one try. */
export interface MailNotes<Skip extends string> {
  /** Notes why there is no mail. */
  readonly skip: (reason: Skip) => Promise<unknown>;
  /** Takes the mail for this sender; undefined if it has an outcome, or another sender has it. */
  readonly take: () => Promise<Taken | undefined>;
  readonly note: (attempt: number, outcome: MailOutcome) => Promise<unknown>;
}

/**
 * Hands mails over to the mail server, as their streams say. A mail is taken by an event before it is handed over: so of two
 * senders one leaves it to the other, and after a crash the mail under way is sent again, under its Message-ID, once its sender
 * is taken for dead.
 */
export class HandOver {
  #stopping = false;

  constructor(
    private readonly clock: Pick<MovableClock, 'now'>,
    private readonly mailer: Pick<Mailer, 'send'>,
  ) {}

  /** Begins no more mails. Those under way get their outcome. */
  stop(): void {
    this.#stopping = true;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  /** Takes, sends and notes one mail; or notes why there is none. */
  async run<Skip extends string>(mail: Mail | Skip, { skip, take, note }: MailNotes<Skip>): Promise<void> {
    if (typeof mail === 'string') {
      await skip(mail);
      return;
    }
    if (this.#stopping) return;
    const taken = await take();
    if (taken === undefined || this.clock.now() - taken.attempted_at > HELD_UP) return;
    const outcome = await this.mailer.send(mail);
    if (this.#isCutOff(outcome)) return;
    await note(taken.attempt, outcome);
  }

  /** A stop that cut the connection is like a crash: the mail is sent again under the same Message-ID. */
  #isCutOff({ kind }: MailOutcome): boolean {
    return this.#stopping && (kind === 'unknown' || kind === 'delayed');
  }
}
