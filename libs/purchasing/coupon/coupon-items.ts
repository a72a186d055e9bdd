import {
  type Reader,
  type Time,
  type ViewChanges,
  type Keyring,
  PageSize,
  type RowVersions,
  generationBytes,
} from '#eventsourcing';
import {
  type CacheStats,
  jsonOfPage,
  ListItems,
  type NoFinders,
  type PublicUrl,
  type ReadItem,
  VersionPages,
} from '#http';
import type { Instant } from '#kernel';
import { LARGEST_PAGE } from '#kernel/bounds';
import { presentCoupon } from './coupon.present.js';
import type { CouponRow } from './coupon.row.js';
import { couponsView } from './coupon.view.js';

/** The coupons of lists as JSON, and whole pages of them, remembered by the versions of their rows. */
export class CouponItems {
  /** What a coupon counts in a page: the characters of its row. */
  readonly #items: ListItems<number, CouponRow, NoFinders, NoFinders>;
  readonly #pages: VersionPages;
  /** The key that has signed the URLs of what is remembered. */
  #signedWith: number;

  constructor(
    reader: Reader,
    private readonly keyring: Keyring,
    time: Time,
    changes: ViewChanges,
    private readonly publicUrl: PublicUrl,
  ) {
    this.#signedWith = keyring.signingKey;
    const shows = { rows: couponsView, along: {}, besides: {} };
    this.#items = new ListItems({ reader, time, changes }, shows, generationBytes('couponItems'));
    this.#pages = new VersionPages(changes, shows, generationBytes('couponPages'));
  }

  /** How often its memories were asked, for metrics. */
  get caches(): Readonly<Record<string, CacheStats>> {
    return { coupon_pages: this.#pages.stats, coupon_items: this.#items.stats };
  }

  /**
   * The answer with the coupons of a page at this time, as JSON.
   * @throws DomainError page_too_large
   */
  page(versions: RowVersions, now: Instant): Promise<Buffer> {
    this.#forgetOtherUrls();
    return this.#pages.page(versions, now, async () => {
      const size = new PageSize(LARGEST_PAGE);
      const { items, ...span } = await this.#items.of({
        rows: versions.rows,
        now,
        shape: 'coupon',
        read: ({ row }) => this.#read(row, now),
        take: (characters) => size.take(characters),
      });
      return { json: jsonOfPage({ before: { status: 'success' }, name: 'coupons', items, after: {} }), ...span };
    });
  }

  #forgetOtherUrls(): void {
    const { signingKey } = this.keyring;
    if (signingKey === this.#signedWith) return;
    this.#signedWith = signingKey;
    this.#items.forget();
    this.#pages.forget();
  }

  #read(row: CouponRow, now: Instant): ReadItem<number> {
    return {
      size: JSON.stringify(row).length,
      turns: row.expires_at === null ? [] : [row.expires_at],
      show: () => presentCoupon(row, now, { keyring: this.keyring, publicUrl: this.publicUrl }),
    };
  }
}
