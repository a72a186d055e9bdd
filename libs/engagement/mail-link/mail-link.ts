import type { Keyring } from '#eventsourcing';

/** What the links in mails do: each opens without a key, by its signature alone (rulings E5, H3). */
export type MailLinkKind = 'confirmation' | 'end-of-subscription' | 'end-of-batch-mails';

export interface MailLink {
  readonly kind: MailLinkKind;
  /** Of the subscription; for the end of batch mails, of the user. */
  readonly id: string;
  /** Of a confirmation: the stream of the e-mail address that it was mailed to; null in all others. */
  readonly address: string | null;
}

/** The first letter of a link's signed part, and the purpose of its signature: no link opens what another one does. */
const KINDS = {
  confirmation: ['c', 'subscription-confirmation'],
  'end-of-subscription': ['s', 'subscription-end'],
  'end-of-batch-mails': ['b', 'batch-mails-end'],
} as const satisfies Readonly<Record<MailLinkKind, readonly [letter: string, purpose: string]>>;

const SIGNED = /^([a-z])([0-9a-f]{32})([0-9a-f]{32})?-([0-9a-f-]{16,26})$/;

/**
 * The address that confirms a subscription, for the mail that asks for it.
 * @param address the stream of the e-mail address that gets the mail; the link confirms only while the user has it
 */
export function confirmationLink(keyring: Keyring, publicUrl: string, subscriptionId: string, address: string): string {
  return `${publicUrl}/m/confirm/${signedPart(keyring, { kind: 'confirmation', id: subscriptionId, address })}`;
}

/** The address that ends a subscription, for its daily updates: a GET asks the user, a POST does it (RFC 8058). */
export function endOfSubscriptionLink(keyring: Keyring, publicUrl: string, subscriptionId: string): string {
  return `${publicUrl}/m/unsubscribe/${signedPart(keyring, { kind: 'end-of-subscription', id: subscriptionId, address: null })}`;
}

/** The address that ends the batch mails of the user's partner, for those mails: a GET asks the user, a POST does it. */
export function endOfBatchMailsLink(keyring: Keyring, publicUrl: string, userId: string): string {
  return `${publicUrl}/m/unsubscribe/${signedPart(keyring, { kind: 'end-of-batch-mails', id: userId, address: null })}`;
}

/** What the signed part of an address opens; undefined if nobody signed it. */
export function readSigned(keyring: Keyring, signed: string): MailLink | undefined {
  const [, first, id = '', address = null, signature = ''] = SIGNED.exec(signed) ?? [];
  for (const kind of Object.keys(KINDS) as MailLinkKind[]) {
    const [letter, purpose] = KINDS[kind];
    if (letter !== first || (kind === 'confirmation') !== (address !== null)) continue;
    if (keyring.verify(purpose, id + (address ?? ''), signature)) return { kind, id, address };
  }
  return undefined;
}

/** The signed part of a link's address. */
export function signedPart(keyring: Keyring, { kind, id, address }: MailLink): string {
  const [letter, purpose] = KINDS[kind];
  const named = id + (address ?? '');
  return `${letter}${named}-${keyring.sign(purpose, named)}`;
}
