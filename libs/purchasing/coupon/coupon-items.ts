import { type Engine, PageSize, type RowVersions, generationBytes } from '#eventsourcing';
import { jsonOfPage, ListItems, type PublicUrl, type ReadRow, VersionPages } from '#http';
import type { Instant } from '#kernel';
import { LARGEST_PAGE } from '#kernel/bounds';
import { presentCoupon } from './coupon.present.js';
import { couponsView } from './coupon.view.js';

/** The coupons of lists as JSON, and whole pages of them, remembered by the versions of their rows. */
export class CouponItems {
  /** What a coupon counts in a page: the characters of its row. */
  readonly #items: ListItems<number>;
  readonly #pages: VersionPages;

  constructor(
    private readonly engine: Pick<Engine, 'views' | 'changes' | 'time' | 'keyring'>,
    private readonly publicUrl: PublicUrl,
  ) {
    const items = new ListItems<number>(engine.time, generationBytes('couponItems'));
    engine.changes.whenReplaced(couponsView, () => items.forget());
    this.#items = items;
    this.#pages = new VersionPages(engine.changes, couponsView, generationBytes('couponPages'));
  }

  /**
   * The answer with the coupons of a page at this time, as JSON.
   * @throws DomainError page_too_large
   */
  page(versions: RowVersions, now: Instant): Promise<Buffer> {
    return this.#pages.page(versions, now, async () => {
      const size = new PageSize(LARGEST_PAGE);
      const { items, ...span } = await this.#items.of({
        rows: versions.rows,
        now,
        shape: 'coupon',
        read: (key) => this.#read(key, now),
        take: (characters) => size.take(characters),
      });
      return { json: jsonOfPage({ before: { status: 'success' }, name: 'coupons', items, after: {} }), ...span };
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
