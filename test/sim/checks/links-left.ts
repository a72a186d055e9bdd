import type { Recorded } from '#kernel';
import { type Act, mayHaveHappened } from '../workload/history.js';
import { placeOf, Violation } from './violation.js';

/** The longest from an answer until its event counts as written, in milliseconds of the world: a sync may be under way. */
const UNTIL_WRITTEN = 15_000;

interface Data {
  readonly card_link_id: string;
  readonly deal_id: string;
  readonly user_id: string;
  readonly turn: number;
}

/** A turn of a card link: what made it, and when somebody wrote that it is linked. */
interface Turn {
  readonly made: Recorded;
  readonly at: number[];
}

/**
 * A call that is refused leaves no card link (rulings E3, E4): for each link that nobody has taken back there is a call that was
 * not refused, at that time. A link that was used or ended since it was made may stay.
 * @param written when each event was written, in milliseconds of the world, by its index in the log
 * @throws Violation
 */
export function checkLinksLeft(events: readonly Recorded[], written: readonly number[], history: readonly Act[]): void {
  const acts = history.filter(mayHaveHappened);
  for (const { made, at } of turnsLeft(events, written)) {
    const isExplained = acts.some((act) => links(act, made.data as Data) && at.some((each) => isWithin(act, each)));
    if (!isExplained)
      throw new Violation('a refused call leaves no link', placeOf(made), 'no call that succeeded explains it');
  }
}

function turnsLeft(events: readonly Recorded[], written: readonly number[]): Iterable<Turn> {
  const turns = new Map<string, Turn>();
  /** The last turn of each link. */
  const last = new Map<string, string>();
  for (const [index, event] of events.entries()) {
    const { card_link_id: id, turn } = event.data as Data;
    const place = `${id}@${turn}`;
    switch (event.type) {
      case 'user-linked.v1':
        turns.set(place, { made: event, at: [written[index] ?? 0] });
        last.set(id, place);
        break;
      case 'card-linked.v1':
        turns.get(place)?.at.push(written[index] ?? 0);
        break;
      case 'card-link-undone.v1':
      case 'card-unlinked.v1':
        turns.delete(place);
        break;
      case 'card-link-redeemed.v1':
        turns.delete(last.get(id) ?? '');
        break;
    }
  }
  return turns.values();
}

/** Whether an act asks for this link. */
function links({ meaning }: Act, { card_link_id, deal_id, user_id }: Data): boolean {
  if (meaning.type === 'relink') return meaning.link === card_link_id;
  return meaning.type === 'link' && meaning.user === user_id && meaning.deals.includes(deal_id);
}

function isWithin({ tries }: Act, at: number): boolean {
  const ended = Math.max(...tries.map((each) => (each.reply?.kind === 'answer' ? each.ended : Infinity)));
  return (tries[0]?.sent ?? Infinity) <= at && at <= ended + UNTIL_WRITTEN;
}
