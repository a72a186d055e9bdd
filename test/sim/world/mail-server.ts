import { Mailer, type Mail, type MailOutcome } from '#mailing/mail';
import type { Owner } from '../core/scheduler.js';
import type { Seeded } from '../core/seeded.js';
import type { World } from './world.js';

/** A mail as its recipient has it. */
export interface Received {
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly at: number;
}

/** The simulated mailboxes of everybody. */
export class MailServer {
  readonly received: Received[] = [];
}

/** One process's way to the mail server. */
export class SimulatedMailer extends Mailer {
  readonly #random: Seeded;

  constructor(
    private readonly world: World,
    private readonly owner: Owner,
    private readonly server: MailServer,
  ) {
    super();
    this.#random = world.random.of(`mails ${world.scheduler.steps}`);
  }

  override send({ messageId, to, subject, text }: Mail): Promise<MailOutcome> {
    const { scheduler, faults, trace } = this.world;
    return new Promise((resolve) => {
      const end = (outcome: MailOutcome): void => {
        scheduler.after(this.#random.between(1, 20), () => resolve(outcome), this.owner);
      };
      const long = faults.strikes('mail: the server takes long');
      const takes = long ? this.#random.between(5_000, 60_000) : this.#random.between(5, 200);
      scheduler.after(takes, () => {
        if (faults.strikes('mail: the server asks for a later try')) {
          end({ kind: 'delayed', reason: 'try again later' });
          return;
        }
        if (faults.strikes('mail: the server refuses a mail for good')) {
          end({ kind: 'refused', reason: 'there is no such mailbox' });
          return;
        }
        const taken = !faults.strikes('mail: the connection breaks after the mail') || this.#random.chance(0.5);
        if (taken) {
          this.server.received.push({ messageId, to, subject, text, at: scheduler.now });
          trace.tell('mail server', `${messageId} to ${to}`);
        }
        if (faults.strikes('mail: the connection breaks after the mail')) end({ kind: 'unknown', reason: 'cut' });
        else end(taken ? { kind: 'sent' } : { kind: 'unknown', reason: 'cut' });
      });
    });
  }

  override async close(): Promise<void> {
    await Promise.resolve();
  }
}
