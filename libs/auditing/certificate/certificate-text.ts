import { RULES, type Fault, type Faults, type Place } from './faults.js';
import type { InventoryCheck } from './inventory-check.js';
import { SALE_KINDS, type Totals } from './totals.js';

/** The name and version of the text. A change of its form or rules changes it. */
export const CERTIFICATE_FORMAT = 'holdfast-certificate/v1';

/** What a certificate says. */
export interface Checked {
  readonly deal: string;
  /** The first and the last event of the inventory; undefined if it has none. */
  readonly first: Place | undefined;
  readonly last: Place | undefined;
  readonly inventory: InventoryCheck;
  readonly totals: Totals;
  readonly faults: Faults;
}

/** The text of a certificate (docs/certificate.md). @param digest of the lines that it covers, in hexadecimal digits */
export function certificateText({ deal, faults, totals, inventory, first, last }: Checked, digest: string): string {
  const { units, starts, limits } = inventory;
  const open = { hold: 0, checkout: 0, resale: 0 };
  for (const { kind } of starts.open.values()) open[kind] += 1;
  const { coupons, money } = totals;
  const lines = [
    CERTIFICATE_FORMAT,
    `deal: ${deal}`,
    `inventory: ${
      first === undefined || last === undefined
        ? 'none'
        : `revision ${first.revision} at position ${first.position} to revision ${last.revision} at position ${last.position}`
    }`,
    `events: ${totals.events}`,
    `digest: sha256 ${digest}`,
    `stock: ${units.stock ?? 'unlimited'}`,
    `held: ${units.held}`,
    `sold: ${units.sold}`,
    `codes left: ${units.unsold === null ? 'none' : Math.max(units.unsold, 0)}`,
    `returned: ${totals.returned}`,
    `released: ${totals.released}`,
    `expired: ${totals.expired}`,
    `undone: ${totals.undone}`,
    `open: ${open.hold} holds, ${open.checkout} checkouts, ${open.resale} resales`,
    ...SALE_KINDS.map((kind) => {
      const { sales, units: sold, amount } = totals.sales[kind];
      return `${kind}: ${sales} sales of ${sold} units for ${amount} cents`;
    }),
    `coupons: ${coupons.issued} issued, ${coupons.redeemed} redeemed, ${coupons.cancelled} cancelled, ${coupons.reissued} reissued`,
    `charged: ${money.charged} cents`,
    `given back: ${money.returned} cents, ${money.due} due, ${money.refused} refused`,
    `voided: ${money.voided} cents`,
    `owed by partners: ${totals.partners} cents`,
    `users: ${limits.users}`,
    `most units of one user: ${limits.most}`,
    ...RULES.map((rule) => `rule ${rule}: ${faults.of(rule) === 0 ? 'kept' : `broken ${faults.of(rule)} times`}`),
  ];
  const { broken, waiting } = faults;
  if (waiting.total > 0) lines.push(...named('open', waiting));
  const [firstFault] = broken.list;
  if (firstFault === undefined) lines.push('verdict: sound');
  else
    lines.push(
      ...named('fault', broken),
      'verdict: broken',
      `first: ${firstFault.place} at position ${firstFault.position}`,
    );
  return `${lines.join('\n')}\n`;
}

function named(word: string, { list, total }: { readonly list: readonly Fault[]; readonly total: number }): string[] {
  const lines = list.map(({ position, place, rule, words }) => `${word} ${position} ${place} ${rule}: ${words}`);
  return total > list.length ? [...lines, `${word} and ${total - list.length} more`] : lines;
}
