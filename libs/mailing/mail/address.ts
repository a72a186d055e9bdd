import { LONGEST_EMAIL } from '#kernel/bounds';
import type { MailOutcome } from './mailer.js';

/** One address without a name, quotes or comments. Whatever else stands there could name more recipients, or none. */
const ONE = /^[^\s\p{Cc}<>()[\]\\,;:@"]+@[^\s\p{Cc}<>()[\]\\,;:@"]+$/u;

export function isAddress(text: string): boolean {
  return text.length <= LONGEST_EMAIL && ONE.test(text);
}

/** The outcome of a mail to anything else. */
export const NO_ADDRESS: MailOutcome = { kind: 'refused', reason: 'the address cannot be written to' };
