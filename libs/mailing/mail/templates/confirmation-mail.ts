import { MAIL_TEXTS } from '#kernel/bounds';
import { CONFIRMATION } from './compiled.js';
import { fill } from './fill.js';
import { greeting, paragraphs, short, type Written } from './words.js';

/** What the mail shows by which users confirm a subscription. */
export interface ConfirmationMailInput {
  /** Null for a user without a name. */
  readonly firstName: string | null;
  /** The name of the region. */
  readonly region: string;
  /** Where the user confirms that the address is theirs. */
  readonly confirm: string;
  /** Where the user ends the subscription. */
  readonly unsubscribe: string;
}

/** The mail by which users confirm a subscription (ruling E5). */
export function confirmationMail({ firstName, region, confirm, unsubscribe }: ConfirmationMailInput): Written {
  const name = short(region, MAIL_TEXTS.name);
  const subject = short(`Please confirm: the deals of ${name} by mail`, MAIL_TEXTS.subject);
  const hello = greeting(firstName);
  return {
    subject,
    html: fill(CONFIRMATION, { subject, greeting: hello, region: name, confirm, unsubscribe }),
    text: paragraphs(
      hello,
      `You have asked for the daily mail with the deals of ${name}. Please confirm that this address is yours:\n${confirm}`,
      'Until you do, no daily mail comes.',
      `You did not ask for it? Then do nothing, or end the subscription: ${unsubscribe}`,
    ),
  };
}
