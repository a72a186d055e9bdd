import { beginning, DAY, MINUTE, SECOND } from '#kernel';

/** What a mail server made of a mail, as the port of mails says it. */
export type Handover =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused' | 'delayed' | 'unknown'; readonly reason: string };

/**
 * After this time without an outcome, the sender of an attempt is taken for dead, and the mail is sent again. It is longer than
 * a living sender waits for a mail server.
 */
export const TAKEOVER = 3 * MINUTE;

/** A sender that was held up so long between taking a mail and handing it over leaves it to another, in milliseconds. */
export const HELD_UP = 30 * SECOND;

/**
 * A subscription that begins again, or asks again, so soon after its confirmation was mailed waits so long for the next one, in
 * milliseconds: whoever can change the subscription and the address cannot flood a mailbox.
 */
export const BETWEEN_CONFIRMATIONS = DAY;

const PAUSES = [1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE, 240 * MINUTE];

/** How long a mail waits for its next try after so many tries; undefined: there is none. Servers that greylist want some minutes. */
export function pauseAfterTries(tries: number): number | undefined {
  return PAUSES[tries - 1];
}

/** The most characters of a server's reason that an event holds. */
const MOST_OF_REASON = 500;

/** A server's reason as an event holds it. */
export function reasonIn({ reason }: Exclude<Handover, { kind: 'sent' }>): string {
  return beginning(reason, MOST_OF_REASON);
}
