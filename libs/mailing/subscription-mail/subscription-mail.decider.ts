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
  /** Its last try; 0 for none, and once there is an outcome. */
  readonly attempt: number;
  /** A sender has it, or had it when it was killed. */
  readonly isUnderWay: boolean;
  /** From when on a sender may take it; Infinity once there is an outcome. */
  readonly dueAt: Instant;
  /** When a sender last took a mail of this kind; null for never. */
  readonly attemptedAt: Instant | null;
  /** When a server may have taken one at the last tries, of which none has told it; null if it cannot, and once there is an outcome. */
  readonly perhapsAt: Instant | null;
  /** When a server last took one, or may have, nearly; null for never. */
  readonly mailedAt: Instant | null;
}

export type SubscriptionMailState = Readonly<Partial<Record<SubscriptionMailKind, LastMail>>>;

/**
 * The mails of a subscription: at most one confirmation for each time that it began or was asked for, a day apart, and at most
 * one daily update per day (rulings E5, F5). A sender takes a mail by an event before it hands it over, so that of two senders
 * one stops.
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
        if (!isDue(last, of, now)) return [];
        const tries = last !== undefined && goesOn(last, of) ? last.attempt : 0;
        const wait = last && waitAfter(last, of);
        if (wait !== undefined && now < wait.until) {
          const data = { ...of, attempt: tries, ...wait, may_have_arrived: false };
          return [{ type: 'subscription-mail-delayed.v1', data }];
        }
        const attempted = { ...of, attempt: tries + 1, attempted_at: now };
        return [...overtaken(last, of), { type: 'subscription-mail-attempted.v1', data: attempted }];
      }
      case 'skip':
        if (!isDue(last, of, now)) return [];
        return [
          ...overtaken(last, of),
          { type: 'subscription-mail-skipped.v1', data: { ...of, reason: command.reason } },
        ];
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

function isDue(last: LastMail | undefined, { kind, turn }: OfMail, now: Instant): boolean {
  if (last === undefined) return true;
  if (last.turn === turn) return last.dueAt <= now;
  // The confirmation that a sender has now may be in the mailbox in a moment: the next one begins after its outcome.
  if (kind === 'confirmation' && last.isUnderWay && now < last.dueAt) return false;
  return last.turn < turn;
}

/** Whether a mail goes on with the tries of the last one: a confirmation does, until there is an outcome. */
function goesOn({ turn }: LastMail, of: OfMail): boolean {
  return turn === of.turn || of.kind === 'confirmation';
}

/** The outcome of a daily update that has none when the next day's begins: it is not tried again (ruling F5). */
function overtaken(last: LastMail | undefined, { subscription_id, kind, turn: next }: OfMail): SubscriptionMailEvent[] {
  if (last === undefined || kind !== 'daily-update' || last.turn === next || last.dueAt === Infinity) return [];
  const { turn, attempt, isUnderWay } = last;
  const reason = isUnderWay ? 'its day is over; it may have arrived' : 'its day is over';
  const data = { subscription_id, kind, turn, attempt, reason, may_have_arrived: isUnderWay };
  return [{ type: 'subscription-mail-failed.v1', data }];
}

/**
 * Until when a confirmation waits because of the one before: whoever can end and begin a subscription, or ask again, gets no more
 * mails by that. The link in a mail that arrived still works.
 */
function waitAfter(
  { dueAt, mailedAt }: LastMail,
  { kind }: OfMail,
): { readonly until: Instant; readonly reason: string } | undefined {
  if (kind !== 'confirmation') return undefined;
  const nextDay = mailedAt === null ? 0 : mailedAt + BETWEEN_CONFIRMATIONS;
  const nextTry = dueAt === Infinity ? 0 : dueAt;
  if (nextTry > nextDay) return { until: nextTry, reason: 'the server wants the last confirmation later' };
  return { until: nextDay, reason: 'the last confirmation was mailed less than a day ago' };
}

function noted(of: OfMail & { readonly attempt: number }, outcome: Handover, now: Instant): SubscriptionMailEvent {
  if (outcome.kind === 'sent') return { type: 'subscription-mail-sent.v1', data: of };
  const data = { ...of, reason: reasonIn(outcome), may_have_arrived: outcome.kind === 'unknown' };
  // A second copy of a confirmation does no harm, but without one the user cannot confirm.
  const goesOn = outcome.kind === 'delayed' || (outcome.kind === 'unknown' && of.kind === 'confirmation');
  const pause = goesOn ? pauseAfterTries(of.attempt) : undefined;
  if (pause === undefined) return { type: 'subscription-mail-failed.v1', data };
  return { type: 'subscription-mail-delayed.v1', data: { ...data, until: now + pause } };
}

function lastAfter(last: LastMail | undefined, event: SubscriptionMailEvent): LastMail {
  const { turn } = event.data;
  const { attemptedAt = null, perhapsAt = null, mailedAt = null } = last ?? {};
  const before = { attemptedAt, perhapsAt, mailedAt };
  const ended = { turn, attempt: 0, isUnderWay: false, dueAt: Infinity, attemptedAt, perhapsAt: null };
  switch (event.type) {
    case 'subscription-mail-attempted.v1': {
      const { attempt, attempted_at } = event.data;
      const dueAt = attempted_at + TAKEOVER;
      // Nobody knows what became of the mail of a dead sender.
      const perhaps = last?.isUnderWay === true ? attemptedAt : perhapsAt;
      return { ...before, turn, attempt, isUnderWay: true, dueAt, attemptedAt: attempted_at, perhapsAt: perhaps };
    }
    case 'subscription-mail-delayed.v1': {
      const { attempt, until, may_have_arrived } = event.data;
      const perhaps = may_have_arrived ? attemptedAt : perhapsAt;
      return { ...before, turn, attempt, isUnderWay: false, dueAt: until, perhapsAt: perhaps };
    }
    case 'subscription-mail-sent.v1':
      return { ...ended, mailedAt: attemptedAt };
    case 'subscription-mail-failed.v1':
      return { ...ended, mailedAt: (event.data.may_have_arrived ? attemptedAt : perhapsAt) ?? mailedAt };
    case 'subscription-mail-skipped.v1':
      return { ...ended, mailedAt: perhapsAt ?? mailedAt };
  }
}
