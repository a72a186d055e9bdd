import type { Reply, Request } from '../world/installation.js';

/** What a request means for the things that the checks follow. */
export type Meaning =
  | { readonly type: 'reserve'; readonly deal: string; readonly quantity: number }
  | { readonly type: 'claim'; readonly purchase: string; readonly user: string }
  | { readonly type: 'release'; readonly purchase: string }
  /** A full purchase or one with a stored card. `user` is undefined for one that the call creates. */
  | { readonly type: 'buy'; readonly deal: string; readonly quantity: number; readonly user: string | undefined }
  /** `content` is everything that was sent; `amount` is in cents. */
  | {
      readonly type: 'resell';
      readonly deal: string;
      readonly quantity: number;
      readonly amount: number;
      readonly reference: string;
      readonly content: string;
    }
  | { readonly type: 'set-stock'; readonly deal: string; readonly units: number | null }
  | { readonly type: 'redeem'; readonly coupon: string }
  | { readonly type: 'cancel-coupon'; readonly coupon: string }
  | { readonly type: 'reissue'; readonly coupon: string }
  | { readonly type: 'refund'; readonly purchase: string }
  | { readonly type: 'void'; readonly purchase: string }
  | { readonly type: 'create-user'; readonly email: string }
  | { readonly type: 'create-batch'; readonly deal: string }
  | { readonly type: 'cancel-batch'; readonly batch: string }
  | { readonly type: 'link'; readonly deals: readonly string[]; readonly user: string }
  | { readonly type: 'relink'; readonly link: string }
  | { readonly type: 'redeem-link'; readonly link: string; readonly reference: string }
  /** Nothing that a check follows beyond its answer. */
  | { readonly type: 'other' };

/** One sending of a request. */
export interface Try {
  /** Milliseconds of the world. */
  readonly sent: number;
  ended: number;
  /** The least time that an API had at the sending, and the latest at the end, in milliseconds since 1970. */
  readonly clockSent: number;
  clockEnded: number;
  /** How often the network delivered it. */
  readonly times: number;
  /** undefined until it has ended. */
  reply: Reply | undefined;
}

/** A request with all its repeats. */
export interface Act {
  /** The number of its operation; undefined for one outside the list. */
  readonly operation: number | undefined;
  readonly kind: string;
  readonly request: Request;
  /** The Idempotency-Key of every try; undefined for none. */
  readonly key: string | undefined;
  readonly meaning: Meaning;
  readonly tries: Try[];
}

/** The first answer that says for good what became of the act; undefined while nobody knows. */
export function outcomeOf({ tries }: Act): Try | undefined {
  return tries.find(({ reply }) => reply?.kind === 'answer' && isFinal(reply.answer));
}

/** Whether an answer says what became of its request: a credential that has ended says nothing of an earlier try. */
export function isFinal({ status, text }: { readonly status: number; readonly text: string }): boolean {
  return status < 500 && status !== 401 && status !== 429 && !(status === 409 && text.includes('"already_processing"'));
}

/**
 * The most often that the act can have happened beyond what its answers say: tries without a final answer, and deliveries beside
 * the one that was answered. Under one key, at most once in all.
 */
export function openTimes(act: Act): number {
  if (act.key !== undefined && !isForgotten(act)) return outcomeOf(act) === undefined ? 1 : 0;
  return act.tries.reduce((sum, each) => {
    const isAnswered = each.reply?.kind === 'answer' && isFinal(each.reply.answer);
    return sum + each.times - (isAnswered ? 1 : 0);
  }, 0);
}

/** Whether an act has succeeded, or may have, because nobody knows its outcome. */
export function mayHaveHappened(act: Act): boolean {
  const hasSucceeded = act.tries.some(({ reply }) => reply?.kind === 'answer' && reply.answer.status < 300);
  return hasSucceeded || openTimes(act) > 0;
}

/** Milliseconds for which an answer is kept under its Idempotency-Key (ruling A11). */
const KEPT_FOR = 24 * 3_600_000;

/**
 * Whether two tries under one key lie so far apart by the service's time that the later one counts as a new request. The service's time
 * may go back between tries: while it refuses an older copy of the log, it does not know of the moves of the test clock that the
 * copy lacks.
 */
export function isForgotten(...acts: readonly Pick<Act, 'tries'>[]): boolean {
  let earliest = Infinity;
  return acts
    .flatMap(({ tries }) => tries)
    .some(({ clockSent, clockEnded }) => {
      earliest = Math.min(earliest, clockSent);
      return clockEnded - earliest >= KEPT_FOR;
    });
}
