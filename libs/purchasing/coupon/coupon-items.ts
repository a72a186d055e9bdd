import { type Engine, PageSize } from '#eventsourcing';
import { ListItems, type MadeItems, type PublicUrl, type ReadRow } from '#http';
import type { Instant } from '#kernel';
import { LARGEST_PAGE } from '#kernel/bounds';
import type { FoundRows } from '../found-rows.js';
import { presentCoupon } from './coupon.present.js';
import { couponsView } from './coupon.view.js';

/** Bytes of the items in each of the two generations of their memory. A coupon has about a thousand, mostly of its QR code. */
const CACHED = 16 * 1024 * 1024;

/** The coupons of lists as JSON, remembered by the version of their row. */
export class CouponItems {
  /** What a coupon counts in a page: the characters of its row. */
  readonly #items: ListItems<number>;

  constructor(
    private readonly engine: Pick<Engine, 'views' | 'changes' | 'time' | 'keyring'>,
    private readonly publicUrl: PublicUrl,
  ) {
    const items = new ListItems<number>(engine.time, CACHED);
    engine.changes.whenReplaced(couponsView, () => items.forget());
    this.#items = items;
  }

  /**
   * The coupons of a page, in its order.
   * @throws DomainError page_too_large
   */
  of({ rows, now }: FoundRows): Promise<MadeItems> {
    const size = new PageSize(LARGEST_PAGE);
    return this.#items.of({
      rows,
      now,
      shape: 'coupon',
      read: (key) => this.#read(key, now),
      take: (characters) => size.take(characters),
    });
  }

  async #read(key: string, now: Instant): Promise<ReadRow<number> | undefined> {
    const found = await this.engine.views.reader(couponsView).get(key);
    if (found === undefined) return undefined;
    const { row, position } = found;
    const { keyring } = this.engine;
    return {
      position,
      size: JSON.stringify(row).length,
      turns: row.expires_at === null ? [] : [row.expires_at],
      isCertain: true,
      show: () => presentCoupon(row, now, { keyring, publicUrl: this.publicUrl }),
    };
  }
}
