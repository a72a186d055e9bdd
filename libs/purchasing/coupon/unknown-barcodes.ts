import { BoundedMap, type Time } from '#eventsourcing';
import { Refused, repeaterOf, type Call, type Caller } from '#http';
import { DomainError, SECOND } from '#kernel';
import { BARCODE_GUESSES } from '#kernel/bounds';
import { isBarcode } from './find-coupon.js';

/** The callers whose guesses are counted, in each of the two generations. */
const CALLERS = 10_000;

interface Guesses {
  /** Unknown barcodes, and look-ups under way. */
  count: number;
  /** Monotonic milliseconds. */
  readonly began: number;
}

/**
 * Bounds the unknown barcodes that the restricted keys of one name send: whoever has a till's key could find the coupons of
 * others among 10^12 barcodes, and redeem them. Unknown redemption codes count too, because a list finds coupons by them. Ids are
 * not counted, because nobody can guess them. A full key may list all coupons anyway; and to a user's token an unknown barcode is
 * what another user's is (`OwnerOfCoupon`).
 */
export class UnknownBarcodes {
  readonly #guesses = new BoundedMap<string, Guesses>(CALLERS);

  constructor(private readonly time: Time) {}

  /**
   * Does work that finds a coupon by what the caller sent.
   * @param find throws `not_found` or `coupon_not_found` if there is none
   * @throws Refused 429 after too many unknown barcodes, whether this one exists or not
   */
  async within<T>({ caller }: Pick<Call, 'caller'>, named: string, find: () => Promise<T>): Promise<T> {
    return isBarcode(named) ? this.#counted(caller, find, () => false) : find();
  }

  /**
   * Lists the coupons with a barcode or a redemption code.
   * @param isEmpty whether there is none
   * @throws Refused see {@link within}
   */
  search<T>({ caller }: Pick<Call, 'caller'>, find: () => Promise<T>, isEmpty: (found: T) => boolean): Promise<T> {
    return this.#counted(caller, find, isEmpty);
  }

  async #counted<T>(caller: Caller, find: () => Promise<T>, isEmpty: (found: T) => boolean): Promise<T> {
    if (caller.kind !== 'partner' || caller.restricted === undefined) return find();
    const guesses = this.#guessesOf(repeaterOf(caller));
    // Counted before it is known: of parallel guesses none gets through either.
    guesses.count += 1;
    let unknown = false;
    try {
      const found = await find();
      unknown = isEmpty(found);
      return found;
    } catch (error) {
      unknown = error instanceof DomainError && (error.code === 'not_found' || error.code === 'coupon_not_found');
      throw error;
    } finally {
      if (!unknown) guesses.count -= 1;
    }
  }

  /** @throws Refused */
  #guessesOf(who: string): Guesses {
    const now = this.time.monotonic();
    const window = BARCODE_GUESSES.seconds * SECOND;
    const known = this.#guesses.get(who);
    if (known === undefined || known.began + window <= now) {
      const begun = { count: 0, began: now };
      this.#guesses.set(who, begun);
      return begun;
    }
    if (known.count < BARCODE_GUESSES.requests) return known;
    const seconds = String(Math.max(1, Math.ceil((known.began + window - now) / SECOND)));
    const words = `too many unknown barcodes; try again in ${seconds} s, or scan the QR code`;
    throw new Refused(429, 'rate_limited', words, { 'retry-after': seconds });
  }
}
