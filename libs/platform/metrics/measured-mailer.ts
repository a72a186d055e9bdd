import { Mailer, type Mail, type MailOutcome } from '#mailing/mail';

/** What became of mails that this process has handed over. */
export type MailFigures = Record<MailOutcome['kind'], number>;

export const noMails = (): MailFigures => ({ sent: 0, refused: 0, delayed: 0, unknown: 0 });

/** Counts mails by what became of them. */
export class MeasuredMailer extends Mailer {
  constructor(
    private readonly mailer: Mailer,
    private readonly figures: MailFigures,
  ) {
    super();
  }

  override async send(mail: Mail): Promise<MailOutcome> {
    const outcome = await this.mailer.send(mail);
    this.figures[outcome.kind] += 1;
    return outcome;
  }

  override forget(ids: readonly string[]): Promise<void> {
    return this.mailer.forget(ids);
  }

  override close(): Promise<void> {
    return this.mailer.close();
  }
}
