import { idOf, type Recorded } from '#kernel';
import type { Received } from '../world/mail-server.js';
import { placeOf, Violation } from './violation.js';

/** Milliseconds after which another sender may take over an attempt without an outcome, less a second for their clocks. */
const TAKEOVER = 179_000;

interface Data {
  readonly batch_id: string;
  readonly user_id: string;
  readonly user_ids: readonly string[];
  readonly subscription_id: string;
  readonly kind: 'confirmation' | 'daily-update';
  readonly turn: number;
  readonly attempt: number;
  readonly attempted_at: number;
}

interface Mail {
  attempts: number;
  /** When the last attempt was written, in milliseconds of the world, and by the service's clock. */
  first: number;
  attemptedAt: number | undefined;
  outcome: string | undefined;
  /** Nobody waits for it any more: its subscription was confirmed, ended or begun again meanwhile. */
  isClosed: boolean;
}

/**
 * Every mail is sent once or recorded: taken by one sender at a time, more often only while nobody knows what became of it, and
 * never after its outcome.
 * @param written when each event was written, in milliseconds of the world, by its index in the log
 */
export function checkMails(
  events: readonly Recorded[],
  written: readonly number[],
  received: readonly Received[],
): void {
  const mails = new Map<string, Mail>();
  const tries = new Map<string, number>();
  const cancelled = new Set<string>();
  /** The type of each batch's end. */
  const ended = new Map<string, string>();
  events.forEach((event, index) => {
    const name = nameOf(event);
    const { batch_id } = event.data as Data;
    if (event.type === 'batch-cancelled.v1') cancelled.add(batch_id);
    if (event.type === 'batch-processed.v1' || event.type === 'batch-failed.v1') ended.set(batch_id, event.type);
    if (event.type === 'subscription-confirmed.v1' || event.type === 'subscription-status-set.v1') {
      const { subscription_id } = event.data as Data;
      for (const [each, mail] of mails)
        if (each.startsWith('confirmation.') && each.endsWith(`.${subscription_id}`)) mail.isClosed = true;
    }
    if (name === undefined) return;
    const counted = countedAs(event.data as Data, name);
    apply(mails, name, event, written[index] ?? 0, tries.get(counted) ?? 0);
    tries.set(counted, isTry(event) ? (event.data as Data).attempt : 0);
  });
  for (const event of events) {
    if (event.type !== 'batch-created.v1') continue;
    const { batch_id, user_ids } = event.data as Data;
    if (cancelled.has(batch_id)) continue;
    if (!ended.has(batch_id)) throw new Violation('every batch ends', placeOf(event), 'it has not');
    for (const user of user_ids)
      if (mails.get(`${batch_id}.${user}`)?.outcome === undefined)
        throw new Violation('every mail is sent or recorded', placeOf(event), `${user} has no outcome`);
    const failed = user_ids.filter((user) => mails.get(`${batch_id}.${user}`)?.outcome === 'failed').length;
    if (ended.get(batch_id) !== (failed === 0 ? 'batch-processed.v1' : 'batch-failed.v1'))
      throw new Violation(
        'a batch fails if a mail of it has',
        placeOf(event),
        `${ended.get(batch_id)}; ${failed} have`,
      );
  }
  for (const [name, { outcome, attempts, isClosed }] of mails)
    if (attempts > 0 && outcome === undefined && !isClosed)
      throw new Violation('every mail is sent or recorded', name, 'it has no outcome');
  const counts = new Map<string, number>();
  for (const { messageId, at } of received) {
    const name = messageId.slice(1, messageId.lastIndexOf('@'));
    const mail = mails.get(name);
    if (mail === undefined || mail.attempts === 0 || mail.first > at)
      throw new Violation('a mail is taken before it is sent', name, 'there is no attempt');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const [name, { outcome, attempts }] of mails) {
    const times = counts.get(name) ?? 0;
    if (times > attempts) throw new Violation('a mail is sent once', name, `${times} times in ${attempts} attempts`);
    if (outcome?.endsWith('sent') === true && times === 0)
      throw new Violation('a sent mail arrives', name, 'it has not');
  }
}

/** The part of the Message-ID before the @; undefined for an event that is not about a mail. */
function nameOf({ type, stream, data }: Recorded): string | undefined {
  const { batch_id, user_id, subscription_id, kind, turn } = data as Data;
  if (type.startsWith('delivery-') && type !== 'delivery-paused.v1') return `${batch_id}.${user_id}`;
  if (!type.startsWith('subscription-mail-')) return undefined;
  if (idOf(stream) === '') return undefined;
  if (kind === 'confirmation') return `confirmation.${turn}.${subscription_id}`;
  return `daily.${new Date(turn * 86_400_000).toISOString().slice(0, 10)}.${subscription_id}`;
}

/** What a mail's tries count for: one confirmation goes on with those of the one before, until there is an outcome. */
function countedAs({ kind, subscription_id }: Data, name: string): string {
  return kind === 'confirmation' ? `confirmation.${subscription_id}` : name;
}

/** Whether a mail has no outcome yet after this event. */
function isTry({ type }: Recorded): boolean {
  return type.includes('-attempted.') || type.includes('-delayed.');
}

/** @param before the tries before this event */
function apply(mails: Map<string, Mail>, name: string, event: Recorded, at: number, before: number): void {
  const mail = mails.get(name) ?? {
    attempts: 0,
    first: at,
    attemptedAt: undefined,
    outcome: undefined,
    isClosed: false,
  };
  mails.set(name, mail);
  if (mail.outcome !== undefined)
    throw new Violation('a mail has one outcome', placeOf(event), `it was ${mail.outcome}`);
  const what = event.type.replace(/^(delivery|subscription-mail)-/, '').replace(/\.v\d+$/, '');
  const { attempt, attempted_at } = event.data as Data;
  if (what === 'attempted') {
    if (mail.attemptedAt !== undefined && attempted_at - mail.attemptedAt < TAKEOVER)
      throw new Violation(
        'one sender at a time',
        placeOf(event),
        `${attempted_at - mail.attemptedAt} ms after the last attempt`,
      );
    mail.attempts += 1;
    const expected = before + 1;
    if (attempt !== expected)
      throw new Violation('attempts are counted', placeOf(event), `${attempt}, expected ${expected}`);
    mail.attemptedAt = attempted_at;
  } else if (what === 'delayed') mail.attemptedAt = undefined;
  else mail.outcome = what === 'made' ? 'sent' : what;
}
