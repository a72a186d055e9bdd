/** A mail to one person. The adapters add the sender, the date and, where it is configured, the signature. */
export interface Mail {
  /**
   * The value of the header, with its brackets: `<id@domain>`. It is the same for every try of the same mail, so that a mailbox
   * can recognise a repeat, and the outbox replaces it.
   */
  readonly messageId: string;
  /** The address alone, without a name. */
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The https address that ends these mails with one POST (RFC 8058); null: the mail has no unsubscribe headers. */
  readonly unsubscribe: string | null;
}

/** What became of a mail. A reason is for people, and names neither a person's address nor a secret. */
export type MailOutcome =
  /** The server has taken it, or its file is on disk. */
  | { readonly kind: 'sent' }
  /** It will never be taken: the server refuses the address or the mail for good. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nothing was taken: the server cannot be reached, or asks for a later try (greylisting). */
  | { readonly kind: 'delayed'; readonly reason: string }
  /** The connection broke after the mail was handed over: the server may have taken it or not. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** The port through which mails leave the service (ruling F4). */
export abstract class Mailer {
  /** Hands over one mail. Its wait has a bound, and it never throws for anything that a server does. */
  abstract send(mail: Mail): Promise<MailOutcome>;

  /**
   * Deletes the mails that are kept here, if any are: those whose Message-ID ends with one of these ids before its `@`. Again: the
   * same.
   */
  forget(_ids: readonly string[]): Promise<void> {
    return Promise.resolve();
  }

  /** Ends soon: mails that are still under way get their outcome first. Later ones are delayed. */
  abstract close(): Promise<void>;
}
