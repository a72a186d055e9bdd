import {
  type Reader,
  type Time,
  type ViewChanges,
  type Keyring,
  PageSize,
  type RowVersions,
  type StoredRow,
  generationBytes,
} from '#eventsourcing';
import {
  type CacheStats,
  jsonAround,
  jsonOfPage,
  ListItems,
  type NoFinders,
  type PublicUrl,
  type ReadItem,
  VersionPages,
} from '#http';
import { DomainError, type Instant } from '#kernel';
import { LARGEST_PAGE, MOST_COUPONS_OF_PAGE } from '#kernel/bounds';
import { presentPurchase } from './purchase.present.js';
import type { PurchaseRow } from './purchase.row.js';
import { purchasesView } from './purchase.view.js';

const SHAPE = 'purchase';

/** The answer with one purchase. */
const ANSWER = jsonAround({ status: 'success' }, 'purchase');

/** What a purchase counts in a page. */
interface Size {
  /** Of its row. */
  readonly characters: number;
  readonly coupons: number;
}

/** Purchases as JSON, and whole pages of lists of them, remembered by the versions of their rows. */
export class PurchaseItems {
  readonly #items: ListItems<Size, PurchaseRow, NoFinders, NoFinders>;
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
    const shows = { rows: purchasesView, along: {}, besides: {} };
    this.#items = new ListItems({ reader, time, changes }, shows, generationBytes('purchaseItems'));
    this.#pages = new VersionPages(changes, shows, generationBytes('purchasePages'));
  }

  /** How often its memories were asked, for metrics. */
  get caches(): Readonly<Record<string, CacheStats>> {
    return { purchase_pages: this.#pages.stats, purchase_items: this.#items.stats };
  }

  /**
   * The answer with the purchases of a page at this time, as JSON.
   * @throws DomainError page_too_large
   */
  page(versions: RowVersions, now: Instant): Promise<Buffer> {
    this.#forgetOtherUrls();
    return this.#pages.page(versions, now, async () => {
      const size = new PageSize(LARGEST_PAGE);
      let coupons = 0;
      const { items, ...span } = await this.#items.of({
        rows: versions.rows,
        now,
        shape: SHAPE,
        read: ({ row }) => this.#read(row, now),
        take(purchase) {
          size.take(purchase.characters);
          coupons += purchase.coupons;
        },
        taken: () => checkCoupons(coupons),
      });
      return { json: jsonOfPage({ before: { status: 'success' }, name: 'purchases', items, after: {} }), ...span };
    });
  }

  /** The answer with one purchase at this time, as JSON. */
  async one(found: StoredRow<PurchaseRow>, now: Instant): Promise<Buffer> {
    this.#forgetOtherUrls();
    const {
      items: [json],
    } = await this.#items.of({
      rows: [found],
      now,
      shape: SHAPE,
      read: ({ row }) => this.#read(row, now),
      take: () => undefined,
    });
    if (json === undefined) throw new Error(`the purchase ${found.key} has no item`);
    return ANSWER(json);
  }

  #forgetOtherUrls(): void {
    const { signingKey } = this.keyring;
    if (signingKey === this.#signedWith) return;
    this.#signedWith = signingKey;
    this.#items.forget();
    this.#pages.forget();
  }

  #read(row: PurchaseRow, now: Instant): ReadItem<Size> {
    return {
      size: { characters: JSON.stringify(row).length, coupons: row.coupons.length },
      turns: turnsOf(row),
      show: (slices) => presentPurchase(row, now, { keyring: this.keyring, publicUrl: this.publicUrl, slices }),
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
