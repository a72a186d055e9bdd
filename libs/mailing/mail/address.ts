import { emailFault } from '#kernel';
import type { MailOutcome } from './mailer.js';

/** Whether a mail can go to it: it is one address, and names no other recipient (ruling I6). */
export function isAddress(text: string): boolean {
  return emailFault(text) === undefined;
}

/** The outcome of a mail to anything else. */
export const NO_ADDRESS: MailOutcome = { kind: 'refused', reason: 'the address cannot be written to' };
