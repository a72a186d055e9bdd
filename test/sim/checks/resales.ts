import type { Recorded } from '#kernel';
import type { Act, Meaning } from '../workload/history.js';
import { wordsOf } from './effects.js';
import { Violation } from './violation.js';

interface Data {
  readonly purchase_id: string;
  readonly quantity: number;
  readonly amount: number;
  readonly deal: { readonly id: string };
}

type Resale = Extract<Meaning, { readonly type: 'resell' }>;

/**
 * A reference belongs to one content (ruling D11): who is told of a purchase has sent what it has, and all who are told of it have
 * sent the same, also of what the log has only sealed.
 * @throws Violation
 */
export function checkResales(events: readonly Recorded[], history: readonly Act[]): void {
  const sold = events.filter(({ type }) => type === 'purchase-resold.v1').map(({ data }) => data as Data);
  const byId = new Map(sold.map((data) => [data.purchase_id, data]));
  /** The content that the first answer of each purchase acknowledged. */
  const contents = new Map<string, string>();
  for (const act of history) {
    const { meaning } = act;
    if (meaning.type !== 'resell') continue;
    for (const id of acknowledged(act)) {
      const other = otherThan(meaning, byId.get(id), contents.get(id));
      if (other !== undefined) throw new Violation('a reference has one content', wordsOf(act), other);
      contents.set(id, meaning.content);
    }
  }
}

/** What a purchase has although something else was sent; undefined if it has the same. */
function otherThan({ deal, quantity, amount, content }: Resale, sold?: Data, before = content): string | undefined {
  if (before !== content) return `sold for ${before}, and sent again as ${content}`;
  const isSame = sold === undefined || (sold.deal.id === deal && sold.quantity === quantity && sold.amount === amount);
  return isSame ? undefined : `${sold.quantity} of ${sold.deal.id} for ${sold.amount} are sold; sent was ${content}`;
}

/** The ids of the purchases that the answers of an act show. */
function acknowledged({ tries }: Act): readonly string[] {
  return tries.flatMap(({ reply }) =>
    reply?.kind === 'answer' && reply.answer.status < 300
      ? [(JSON.parse(reply.answer.text) as { readonly id: string }).id]
      : [],
  );
}
