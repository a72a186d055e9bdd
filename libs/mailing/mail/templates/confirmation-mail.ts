import { MAIL_TEXTS } from '#kernel/bounds';
import { CONFIRMATION } from './compiled.js';
import { fill } from './fill.js';
import { greeting, paragraphs, short, shortLine, type Written } from './words.js';

/** What the mail shows by which users confirm a subscription. */
export interface ConfirmationMailInput {
  /** Null for a user without a name. */
  readonly firstName: string | null;
  /** The name of the region. */
  readonly region: string;
  /** Where the user confirms that the address is theirs. */
  readonly link: string;
}

/** The mail by which users confirm a subscription (ruling E5). */
export function confirmationMail({ firstName, region, link }: ConfirmationMailInput): Written {
  const name = short(region, MAIL_TEXTS.name);
  const subject = shortLine(`Please confirm: the deals of ${name} by mail`, MAIL_TEXTS.subject);
  const hello = greeting(firstName);
  return {
    subject,
    html: fill(CONFIRMATION, { subject, greeting: hello, region: name, link }),
    text: paragraphs(
      hello,
      `You have asked for the daily mail with the deals of ${name}. Please confirm that this address is yours:\n${link}`,
      'Until you do, no daily mail comes.',
      'If you did not ask for it, do nothing: no more mails come.',
    ),
  };
}
