import type { Recorded } from '#kernel';
import type { Act } from '../workload/history.js';
import type { Received } from '../world/mail-server.js';
import { Violation } from './violation.js';

/** The part of a request or an answer that names a user and their address. */
interface Named {
  readonly email?: string;
  readonly user?: { readonly email?: string; readonly id?: string };
  readonly user_id?: string;
  readonly purchase?: { readonly user_id?: string };
}

/**
 * Every mail goes to an address that its user has had, as the clients know. Mails of users whose registration nobody saw answered
 * are not looked at.
 * @throws Violation
 */
export function checkRecipients(
  events: readonly Recorded[],
  history: readonly Act[],
  received: readonly Received[],
): void {
  const addresses = addressesIn(history);
  const subscribers = new Map<string, string>();
  for (const { type, data } of events) {
    const { subscription_id, user_id } = data as { readonly subscription_id: string; readonly user_id: string };
    if (type === 'subscription-created.v1') subscribers.set(subscription_id, user_id);
  }
  for (const { messageId, to } of received) {
    // <batch.user@host>, <confirmation.turn.subscription@host> or <daily.day.subscription@host>
    const last = messageId.slice(
      messageId.lastIndexOf('.', messageId.lastIndexOf('@')) + 1,
      messageId.lastIndexOf('@'),
    );
    const had = addresses.get(subscribers.get(last) ?? last);
    if (had !== undefined && !had.has(to.toLowerCase()))
      throw new Violation('a mail goes to its user', messageId, `to ${to}; expected ${[...had].join(' or ')}`);
  }
}

/** The addresses that each user may have had. */
function addressesIn(history: readonly Act[]): ReadonlyMap<string, ReadonlySet<string>> {
  const addresses = new Map<string, Set<string>>();
  for (const { request, tries } of history) {
    const body = (request.body ?? {}) as Named;
    const [, ofPath] = /\/users\/([^/?]+)(?:\/update_by_email)?(?:\?.*)?$/.exec(request.path) ?? [];
    const named = decodeURIComponent(ofPath ?? '');
    const email = named.includes('@') ? named : (body.email ?? body.user?.email);
    if (email === undefined) continue;
    const answers = tries.flatMap(({ reply }): readonly Named[] =>
      reply?.kind === 'answer' && reply.answer.text.startsWith('{') ? [JSON.parse(reply.answer.text) as Named] : [],
    );
    const ids = answers.map((shown) => shown.user_id ?? shown.user?.id ?? shown.purchase?.user_id);
    // A change whose answer was lost may have happened.
    const changed = named === '' || named.includes('@') ? [] : [named];
    for (const id of [...ids, ...changed]) {
      if (typeof id !== 'string') continue;
      const had = addresses.get(id) ?? new Set();
      addresses.set(id, had.add(email.toLowerCase()));
    }
  }
  return addresses;
}
