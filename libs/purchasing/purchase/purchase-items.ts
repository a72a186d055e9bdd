import { type Engine, PageSize } from '#eventsourcing';
import { ListItems, type MadeItems, type PublicUrl, type ReadRow } from '#http';
import { DomainError, type Instant } from '#kernel';
import { LARGEST_PAGE, MOST_COUPONS_OF_PAGE } from '#kernel/bounds';
import type { FoundRows } from '../found-rows.js';
import { presentPurchase } from './purchase.present.js';
import type { PurchaseRow } from './purchase.row.js';
import { purchasesView } from './purchase.view.js';

/** Bytes of the items in each of the two generations of their memory. A purchase of one unit has about fifteen hundred. */
const CACHED = 24 * 1024 * 1024;

/** What a purchase counts in a page. */
interface Size {
  /** Of its row. */
  readonly characters: number;
  readonly coupons: number;
}

/** The purchases of lists as JSON, remembered by the version of their row. */
export class PurchaseItems {
  readonly #items: ListItems<Size>;

  constructor(
    private readonly engine: Pick<Engine, 'views' | 'changes' | 'time' | 'keyring'>,
    private readonly publicUrl: PublicUrl,
  ) {
    const items = new ListItems<Size>(engine.time, CACHED);
    engine.changes.whenReplaced(purchasesView, () => items.forget());
    this.#items = items;
  }

  /**
   * The purchases of a page, in its order.
   * @throws DomainError page_too_large
   */
  of({ rows, now }: FoundRows): Promise<MadeItems> {
    const size = new PageSize(LARGEST_PAGE);
    let coupons = 0;
    return this.#items.of({
      rows,
      now,
      shape: 'purchase',
      read: (key) => this.#read(key, now),
      take(purchase) {
        size.take(purchase.characters);
        coupons += purchase.coupons;
      },
      taken: () => checkCoupons(coupons),
    });
  }

  async #read(key: string, now: Instant): Promise<ReadRow<Size> | undefined> {
    const found = await this.engine.views.reader(purchasesView).get(key);
    if (found === undefined) return undefined;
    const { row, position } = found;
    const { keyring } = this.engine;
    return {
      position,
      size: { characters: JSON.stringify(row).length, coupons: row.coupons.length },
      turns: turnsOf(row),
      isCertain: true,
      show: (slices) => presentPurchase(row, now, { keyring, publicUrl: this.publicUrl, slices }),
    };
  }
}

/** The times at which the answer of a purchase changes by the clock: the end of its hold, and of its coupons. */
function turnsOf({ deadline, coupons }: PurchaseRow): readonly Instant[] {
  return [deadline, ...coupons.map(({ expires_at }) => expires_at)].filter((turn) => turn !== null);
}

/** The answer shows much more of a coupon than its row has: so a page is also bounded by its coupons. */
function checkCoupons(coupons: number): void {
  if (coupons <= MOST_COUPONS_OF_PAGE) return;
  throw new DomainError(
    'page_too_large',
    `the page holds more than ${MOST_COUPONS_OF_PAGE} coupons: ask for fewer rows with per_page`,
  );
}
