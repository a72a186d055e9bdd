import type { Keyring } from '#eventsourcing';

/** What the links in mails do: each opens without a key, by its signature alone (rulings E5, H3). */
export type MailLinkKind = 'confirmation' | 'end-of-subscription' | 'end-of-batch-mails';

export interface MailLink {
  readonly kind: MailLinkKind;
  /** Of the subscription; for the end of batch mails, of the user. */
  readonly id: string;
}

/** The first letter of a link's signed part, and the purpose of its signature: no link opens what another one does. */
const KINDS = {
  confirmation: ['c', 'subscription-confirmation'],
  'end-of-subscription': ['s', 'subscription-end'],
  'end-of-batch-mails': ['b', 'batch-mails-end'],
} as const satisfies Readonly<Record<MailLinkKind, readonly [letter: string, purpose: string]>>;

const SIGNED = /^([a-z])([0-9a-f]{32})-([0-9a-f-]{16,26})$/;

/** The address that confirms a subscription, for the mail that asks for it. */
export function confirmationLink(keyring: Keyring, publicUrl: string, subscriptionId: string): string {
  return `${publicUrl}/m/confirm/${signedPart(keyring, { kind: 'confirmation', id: subscriptionId })}`;
}

/** The address that ends a subscription, for its daily updates: a GET asks the user, a POST does it (RFC 8058). */
export function endOfSubscriptionLink(keyring: Keyring, publicUrl: string, subscriptionId: string): string {
  return `${publicUrl}/m/unsubscribe/${signedPart(keyring, { kind: 'end-of-subscription', id: subscriptionId })}`;
}

/** The address that ends the batch mails of the user's partner, for those mails: a GET asks the user, a POST does it. */
export function endOfBatchMailsLink(keyring: Keyring, publicUrl: string, userId: string): string {
  return `${publicUrl}/m/unsubscribe/${signedPart(keyring, { kind: 'end-of-batch-mails', id: userId })}`;
}

/** What the signed part of an address opens; undefined if nobody signed it. */
export function readSigned(keyring: Keyring, signed: string): MailLink | undefined {
  const [, first, id = '', signature = ''] = SIGNED.exec(signed) ?? [];
  for (const kind of Object.keys(KINDS) as MailLinkKind[]) {
    const [letter, purpose] = KINDS[kind];
    if (letter === first && keyring.verify(purpose, id, signature)) return { kind, id };
  }
  return undefined;
}

/** The signed part of a link's address. */
export function signedPart(keyring: Keyring, { kind, id }: MailLink): string {
  const [letter, purpose] = KINDS[kind];
  return `${letter}${id}-${keyring.sign(purpose, id)}`;
}
