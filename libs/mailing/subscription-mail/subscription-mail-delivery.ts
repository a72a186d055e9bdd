import { type CommandContext, type Work, type Writer, type Clock, type PersonalData } from '#eventsourcing';
import { asOfNow, subscription, type SubscriptionRow } from '#engagement/model';
import { isSuspended } from '#partners';
import { openProfile, type Profile } from '#people';
import { user } from '#people/model';
import { HandOver } from '../hand-over.js';
import type { Mail, Mailer } from '../mail/index.js';
import { subscriptionMail } from './subscription-mail.decider.js';
import type { OfMail, SubscriptionMailKind, SubscriptionMailSkip } from './subscription-mail.events.js';
import { subscriptionMails, type OpenMail } from './subscription-mails.work.js';

/** A subscription and the person who gets its mails. */
export interface Subscriber {
  readonly row: SubscriptionRow;
  readonly profile: Profile;
  /** The stream of their e-mail address. */
  readonly address: string;
}

/** Makes the mail of one turn, from what the log has now; or says why there is none. */
export type MakeMail = (to: Subscriber, turn: number) => Promise<Mail | SubscriptionMailSkip>;

/** Sends the mails of subscriptions. */
export class SubscriptionMailDelivery {
  readonly #handOver: HandOver;

  constructor(
    private readonly writer: Writer,
    clock: Clock,
    private readonly personalData: PersonalData,
    mailer: Mailer,
    private readonly makers: Readonly<Record<SubscriptionMailKind, MakeMail>>,
  ) {
    this.#handOver = new HandOver(clock, mailer);
  }

  get work(): Work<OpenMail> {
    return {
      list: subscriptionMails,
      run: async (_, { subscription_id, kind, turn }) =>
        this.deliver({ subscription_id, kind, turn }, this.writer.newContext(`system:${subscriptionMails.name}`)),
    };
  }

  /** Begins no more mails. */
  stop(): void {
    this.#handOver.stop();
  }

  get isStopping(): boolean {
    return this.#handOver.isStopping;
  }

  /** Sends a mail, unless it has an outcome, or another sender has it. */
  async deliver(of: OfMail, context: CommandContext): Promise<void> {
    if (this.isStopping) return;
    const { writer } = this;
    const { subscription_id: id, kind, turn } = of;
    const reader = await this.#find(of, context);
    const mail = typeof reader === 'string' ? reader : await this.makers[kind](reader, turn);
    await this.#handOver.run<SubscriptionMailSkip>(mail, {
      skip: (reason) => writer.execute(subscriptionMail, id, { type: 'skip', ...of, reason }, context),
      async take() {
        const { events } = await writer.execute(subscriptionMail, id, { type: 'attempt', ...of }, context);
        return events.find((event) => event.type === 'subscription-mail-attempted.v1')?.data;
      },
      note: (attempt, outcome) =>
        writer.execute(subscriptionMail, id, { type: 'note', ...of, attempt, outcome }, context),
    });
  }

  async #find(
    { subscription_id: id, kind }: OfMail,
    context: CommandContext,
  ): Promise<Subscriber | SubscriptionMailSkip> {
    const { writer, personalData } = this;
    const row = await writer.readNow(subscription, id);
    if (row?.status !== 'active') return 'ended';
    if (await isSuspended(this.writer, row.partner_id)) return 'suspended';
    const reader = await writer.read(user, row.user_id);
    if (reader === null || reader.deleted) return reader?.erased ? 'erased' : 'hidden';
    const profile = await openProfile(personalData, reader);
    if (profile === null) return 'erased';
    const now = asOfNow(row, reader);
    // The user has another address than the one that they confirmed: it gets a mail to confirm it, and no updates before.
    if (kind === 'daily-update' && row.confirmed && !now.confirmed)
      await writer.execute(subscription, id, { type: 'ask-again', now: reader }, context);
    return { row: now, profile, address: reader.address };
  }
}
