import { traced, type Tracer } from '#eventsourcing';
import { Mailer, type Mail, type MailOutcome } from '#mailing/mail';

/** Shows in traces when a mail was handed over, and what became of it; nothing of the mail. */
export class TracedMailer extends Mailer {
  constructor(
    private readonly mailer: Mailer,
    private readonly tracer: Tracer,
  ) {
    super();
  }

  override send(mail: Mail): Promise<MailOutcome> {
    return traced(this.tracer, 'mail', { kind: 'client' }, async (span) => {
      const outcome = await this.mailer.send(mail);
      span.set('holdfast.outcome', outcome.kind);
      return outcome;
    });
  }

  override forget(ids: readonly string[]): Promise<void> {
    return this.mailer.forget(ids);
  }

  override close(): Promise<void> {
    return this.mailer.close();
  }
}
