import { idOf, type Recorded } from '#kernel';
import { type Act, isFinal, mayHaveHappened, type Try } from '../workload/history.js';
import { wordsOf } from './effects.js';
import { Violation } from './violation.js';

/** The longest from a decision until its event is on disk, in milliseconds: it waits in a queue and for syncs. */
const UNTIL_WRITTEN = 15_000;
/** Milliseconds by which the clocks of processes may differ from the one that the clients read. */
const TOLERANCE = 10_000;

interface Data {
  readonly card_link_id: string;
  readonly partner_id: string;
  readonly transaction_reference: string;
  readonly quantity: number;
  readonly amount: number;
  readonly deal: { readonly id: string };
  readonly user_id: string;
  readonly purchase_id: string;
  readonly reservation_id: string;
  readonly coupon_id: string;
  readonly expires_at: number | null;
}

interface Shown {
  readonly error_msg?: string;
  readonly detail?: string;
  readonly purchase_id?: string;
  readonly errors?: readonly { readonly field?: string; readonly message?: string }[];
}

/** An answer that refuses, with the span of the tries of which it may tell. */
interface Refusal {
  readonly act: Act;
  readonly first: Try;
  readonly last: Try;
  readonly status: number;
  readonly shown: Shown;
}

/**
 * Refusals tell the truth: what they give as their reason is in the log, written in time to be the reason.
 * @param written when each event was written, in milliseconds of the world, by its index in the log
 * @throws Violation
 */
export function checkRefusals(events: readonly Recorded[], written: readonly number[], acts: readonly Act[]): void {
  const log = events.map((event, index) => ({ ...event, at: written[index] ?? 0 }));
  for (const act of acts)
    for (const refusal of refusalsOf(act)) {
      const untrue = untruthOf(refusal, log, acts);
      if (untrue !== undefined) throw new Violation('a refusal tells the truth', wordsOf(act), untrue);
    }
}

type Log = readonly (Recorded & { readonly at: number })[];

/** What a refusal says although it was not so; undefined if it was so, or says nothing that is followed here. */
function untruthOf(refusal: Refusal, log: Log, acts: readonly Act[]): string | undefined {
  const { act, shown, last } = refusal;
  const { meaning } = act;
  const { error_msg = '' } = shown;
  const of = (type: string, fits: (data: Data) => boolean): Log =>
    log.filter((each) => each.type === type && each.at - UNTIL_WRITTEN <= last.ended && fits(each.data as Data));
  const unless = (isSo: boolean): string | undefined => (isSo ? undefined : error_msg || JSON.stringify(shown));
  switch (meaning.type) {
    case 'link':
      return placesTaken(refusal, log);
    case 'resell': {
      const isUsed = shown.errors?.some(
        ({ field, message }) => field === 'transaction_reference' && /already been used/.test(message ?? ''),
      );
      if (isUsed !== true) return undefined;
      // The log has the buyer's name only sealed: then a call with another one was not refused.
      const isSealed = acts.some(
        (each) =>
          each.meaning.type === 'resell' &&
          each.meaning.reference === meaning.reference &&
          each.meaning.content !== meaning.content &&
          mayHaveHappened(each),
      );
      const others = of('purchase-resold.v1', ({ partner_id, transaction_reference: reference, ...sold }) => {
        const { quantity, deal, amount } = sold;
        const isOther = quantity !== meaning.quantity || deal.id !== meaning.deal || amount !== meaning.amount;
        return `${partner_id}/${reference}` === meaning.reference && (isOther || isSealed);
      });
      return others.length > 0 ? undefined : `no other content has the reference ${meaning.reference}`;
    }
    case 'redeem':
    case 'reissue': {
      const word =
        /^the coupon is (\w+)/.exec(error_msg)?.[1] ?? (/issued again/.test(error_msg) ? 'reissued' : undefined);
      if (word === undefined) return undefined;
      if (word === 'expired')
        return unless(
          of(
            'coupon-issued.v1',
            (data) => data.coupon_id === meaning.coupon && (data.expires_at ?? Infinity) <= last.clockEnded + TOLERANCE,
          ).length > 0,
        );
      const type = { redeemed: 'coupon-redeemed.v1', cancelled: 'coupon-cancelled.v1', reissued: 'coupon-reissued.v1' }[
        word
      ];
      return type === undefined ? undefined : unless(of(type, (data) => data.coupon_id === meaning.coupon).length > 0);
    }
    case 'claim': {
      const sales = ['hold-claimed.v1', 'units-sold.v1'].flatMap((type) =>
        of(type, (data) => data.purchase_id === meaning.purchase),
      );
      if (!error_msg.includes('claimed for another user')) return undefined;
      return unless(sales.some(({ data }) => (data as Data).user_id !== meaning.user));
    }
    case 'release':
      if (!error_msg.includes('was claimed')) return undefined;
      return unless(
        ['hold-claimed.v1', 'units-sold.v1'].some(
          (type) => of(type, (data) => data.purchase_id === meaning.purchase).length > 0,
        ),
      );
    case 'buy':
      if (refusal.status !== 409 || shown.purchase_id === undefined) return undefined;
      return wasOpen(shown.purchase_id, refusal, log) ? undefined : `${shown.purchase_id} was not being charged`;
    default:
      return undefined;
  }
}

/** All places of a deal were taken, if nobody freed one before the call. */
function placesTaken({ first, last, shown }: Refusal, log: Log): string | undefined {
  const most = /all its places are taken \((\d+)\)/.exec(shown.error_msg ?? '')?.[1];
  const deal = /^the deal is (\S+?);/.exec(shown.detail ?? '')?.[1];
  if (most === undefined || deal === undefined) return undefined;
  let possible = 0;
  for (const { stream, type, at } of log) {
    if (idOf(stream) !== deal || !stream.startsWith('linkage-')) continue;
    if (type === 'user-linked.v1' && at - UNTIL_WRITTEN <= last.ended) possible += 1;
    if (type === 'place-freed.v1' && at <= first.sent) possible -= 1;
  }
  return possible >= Number(most) ? undefined : `at most ${possible} of ${most} places of ${deal} were taken`;
}

/** Whether a purchase was being charged at some time of the call. */
function wasOpen(purchase: string, { first, last }: Refusal, log: Log): boolean {
  const of = (type: string): Log =>
    log.filter((each) => each.type === type && (each.data as Data).purchase_id === purchase);
  const [started] = of('checkout-started.v1');
  const [ended] = [...of('checkout-sold.v1'), ...of('checkout-undone.v1')];
  return (
    started !== undefined && started.at - UNTIL_WRITTEN <= last.ended && (ended === undefined || ended.at >= first.sent)
  );
}

function refusalsOf(act: Act): readonly Refusal[] {
  if (act.meaning.type === 'other') return [];
  return act.tries.flatMap((last) => {
    if (last.reply?.kind !== 'answer' || !isFinal(last.reply.answer)) return [];
    const { status, text } = last.reply.answer;
    if (status < 400 || !text.startsWith('{')) return [];
    // Under a key, an earlier try may have decided what a later one answers.
    const first = act.key === undefined ? last : (act.tries[0] ?? last);
    return [{ act, first, last, status, shown: JSON.parse(text) as Shown }];
  });
}
