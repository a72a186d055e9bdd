import { defineDecider, type Instant } from '#kernel';
import { BETWEEN_CONFIRMATIONS, pauseAfterTries, reasonIn, TAKEOVER, type Handover } from '../tries.rules.js';
import type {
  OfMail,
  SubscriptionMailEvent,
  SubscriptionMailKind,
  SubscriptionMailSkip,
} from './subscription-mail.events.js';

export type SubscriptionMailCommand =
  /** A sender takes the mail. Without an event, it has an outcome, or is another sender's, or is not due. */
  | ({ readonly type: 'attempt' } & OfMail)
  | ({ readonly type: 'note'; readonly attempt: number; readonly outcome: Handover } & OfMail)
  | ({ readonly type: 'skip'; readonly reason: SubscriptionMailSkip } & OfMail);

/** How far the last mail of a kind is. */
export interface LastMail {
  readonly turn: number;
  /** Its last try; 0 for none. */
  readonly attempt: number;
  /** A sender has it, or had it when it was killed. */
  readonly isUnderWay: boolean;
  /** From when on a sender may take it; Infinity once there is an outcome. */
  readonly dueAt: Instant;
  /** When a sender last took a mail of this kind; null for never. */
  readonly attemptedAt: Instant | null;
  /** When a server last took one, nearly; null for never. */
  readonly mailedAt: Instant | null;
}

export type SubscriptionMailState = Readonly<Partial<Record<SubscriptionMailKind, LastMail>>>;

/**
 * The mails of a subscription: at most one confirmation for each time that it began, and at most one daily update per day
 * (rulings E5, F5). A sender takes a mail by an event before it hands it over, so that of two senders one stops.
 */
export const subscriptionMail = defineDecider<SubscriptionMailCommand, SubscriptionMailState, SubscriptionMailEvent>({
  category: 'subscriptionMail',
  initialState: {},
  decide(command, state, now) {
    const { subscription_id, kind, turn } = command;
    const of = { subscription_id, kind, turn };
    const last = state[kind];
    switch (command.type) {
      case 'attempt': {
        if (!isDue(last, turn, now)) return [];
        if (isTooSoon(last, of, now)) return [putOff(of, last.mailedAt)];
        const attempt = last?.turn === turn ? last.attempt + 1 : 1;
        return [{ type: 'subscription-mail-attempted.v1', data: { ...of, attempt, attempted_at: now } }];
      }
      case 'skip':
        if (!isDue(last, turn, now)) return [];
        return [{ type: 'subscription-mail-skipped.v1', data: { ...of, reason: command.reason } }];
      case 'note': {
        const { attempt, outcome } = command;
        if (last?.isUnderWay !== true || last.turn !== turn || last.attempt !== attempt) return [];
        return [noted({ ...of, attempt }, outcome, now)];
      }
    }
  },
  evolve(state, { type, data }) {
    return { ...state, [data.kind]: lastAfter(state[data.kind], { type, data } as SubscriptionMailEvent) };
  },
});

function isDue(last: LastMail | undefined, turn: number, now: Instant): boolean {
  return last === undefined || last.turn < turn || (last.turn === turn && last.dueAt <= now);
}

type Mailed = LastMail & { readonly mailedAt: Instant };

/** A subscription began again soon after its confirmation was mailed. The link in that mail still works. */
function isTooSoon(last: LastMail | undefined, { kind, turn }: OfMail, now: Instant): last is Mailed {
  if (kind !== 'confirmation' || last === undefined || last.turn === turn || last.mailedAt === null) return false;
  return now < last.mailedAt + BETWEEN_CONFIRMATIONS;
}

function putOff(of: OfMail, mailedAt: Instant): SubscriptionMailEvent {
  const reason = 'the last confirmation was mailed less than a day ago';
  const data = { ...of, attempt: 0, reason, until: mailedAt + BETWEEN_CONFIRMATIONS };
  return { type: 'subscription-mail-delayed.v1', data };
}

function noted(of: OfMail & { readonly attempt: number }, outcome: Handover, now: Instant): SubscriptionMailEvent {
  if (outcome.kind === 'sent') return { type: 'subscription-mail-sent.v1', data: of };
  const reason = reasonIn(outcome);
  // A second copy of a confirmation does no harm, but without one the user cannot confirm.
  const goesOn = outcome.kind === 'delayed' || (outcome.kind === 'unknown' && of.kind === 'confirmation');
  const pause = goesOn ? pauseAfterTries(of.attempt) : undefined;
  if (pause === undefined) return { type: 'subscription-mail-failed.v1', data: { ...of, reason } };
  return { type: 'subscription-mail-delayed.v1', data: { ...of, reason, until: now + pause } };
}

function lastAfter(last: LastMail | undefined, event: SubscriptionMailEvent): LastMail {
  const { turn } = event.data;
  const { attemptedAt = null, mailedAt = null } = last ?? {};
  const ended = { turn, attempt: 0, isUnderWay: false, dueAt: Infinity, attemptedAt, mailedAt };
  switch (event.type) {
    case 'subscription-mail-attempted.v1': {
      const { attempt, attempted_at } = event.data;
      return { turn, attempt, isUnderWay: true, dueAt: attempted_at + TAKEOVER, attemptedAt: attempted_at, mailedAt };
    }
    case 'subscription-mail-delayed.v1': {
      const { attempt, until } = event.data;
      return { turn, attempt, isUnderWay: false, dueAt: until, attemptedAt, mailedAt };
    }
    case 'subscription-mail-sent.v1':
      return { ...ended, mailedAt: attemptedAt };
    case 'subscription-mail-failed.v1':
    case 'subscription-mail-skipped.v1':
      return ended;
  }
}
