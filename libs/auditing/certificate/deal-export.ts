import { isoTime, type Position, type Recorded } from '#kernel';
import {
  EXPORT_FORMAT,
  exportedEvent,
  type ExportBegin,
  type ExportedEvent,
  type ExportLine,
} from './exported-event.js';
import { integer, object, objects, text, texts, type Data } from './values.js';

/** The part of the log that an export reads. */
export interface ReadStreams {
  /** The last position that it may show, and the time of the event there. */
  readonly until: { readonly position: Position; readonly time: number };
  /**
   * Some events of a stream from a revision on, if there are any.
   * @returns undefined if nobody can read the stream from there on
   */
  read(stream: string, from: number): Promise<readonly Recorded[] | undefined>;
  /** All events of a stream that stays short. @returns undefined if nobody can read them all */
  whole(stream: string): Promise<readonly Recorded[] | undefined>;
}

/** Streams that are read at once. */
const TOGETHER = 50;

/** What begins: its event, and the ids of its coupons. */
interface Open {
  readonly revision: number;
  readonly kind: 'hold' | 'checkout' | 'resale';
  readonly data: Data;
}

/**
 * The events of a deal as lines, in the order that docs/certificate.md describes. It remembers what is open, and no more: a
 * reservation or purchase comes with the event of the inventory that closes it.
 */
export class DealExport {
  readonly begin: ExportBegin;
  /** What is open, and what is closed and has its streams with a later event; by number. */
  readonly #open = new Map<number, Open>();
  /** Resales that are undone, and whose purchase comes with another one: their numbers by purchase. */
  readonly #undone = new Map<string, readonly number[]>();

  constructor(
    private readonly log: ReadStreams,
    private readonly deal: string,
  ) {
    const { position, time } = log.until;
    this.begin = {
      export: { format: EXPORT_FORMAT, deal, position: position.toString(), time: isoTime(time) },
    };
  }

  /** The lines between the first and the last one. */
  async *lines(): AsyncGenerator<readonly ExportLine[]> {
    yield* this.#events(`deal-${this.deal}`);
    for await (const events of this.#events(`inventory-${this.deal}`)) {
      for (const line of events) {
        yield [line];
        if ('stream' in line) yield await this.#after(line);
      }
    }
    for (const [, { revision, kind, data }] of [...this.#open].sort(([a], [b]) => a - b)) {
      yield [{ open: { revision } }];
      yield await this.#unfinished(kind, data);
    }
  }

  /** The streams that belong to an event of the inventory. */
  async #after({ type, revision, data }: ExportedEvent): Promise<readonly ExportLine[]> {
    const number = integer(data['number']);
    const purchase = text(data['purchase_id']);
    switch (type) {
      case 'hold-placed.v1':
        this.#open.set(number, { revision, kind: 'hold', data });
        return [];
      case 'checkout-started.v1':
        this.#open.set(number, { revision, kind: 'checkout', data });
        return [];
      case 'resale-started.v1':
        this.#open.set(number, { revision, kind: 'resale', data });
        return [];
      case 'hold-released.v1':
      case 'hold-expired.v1': {
        const lines = await this.#streams([`reservation-${text(data['reservation_id'])}`]);
        // A reservation that is claimed later comes with its sale.
        if (lines.length === 0 || lines.some((line) => 'type' in line && line.type === 'reservation-claimed.v1'))
          return [];
        this.#open.delete(number);
        return lines;
      }
      case 'hold-claimed.v1':
      case 'units-sold.v1': {
        this.#open.delete(number);
        const reservation = await this.#streams([`reservation-${purchase}`]);
        return [...reservation, ...(await this.#purchase(purchase, couponsOf(data)))];
      }
      case 'checkout-sold.v1':
      case 'checkout-undone.v1':
      case 'resale-sold.v1': {
        const coupons = couponsOf(this.#open.get(number)?.data ?? {});
        this.#open.delete(number);
        this.#forgetUndone(purchase);
        return this.#purchase(purchase, coupons);
      }
      case 'resale-undone.v1':
        return this.#undo(number, text(data['resale_id']), purchase);
      default:
        return [];
    }
  }

  /** The streams that belong to what is open at the end, or has not had them before. */
  async #unfinished(kind: Open['kind'], data: Data): Promise<readonly ExportLine[]> {
    if (kind === 'hold') {
      const id = text(data['reservation_id']);
      return [...(await this.#streams([`reservation-${id}`])), ...(await this.#purchase(id, []))];
    }
    const id = text(data['purchase_id']);
    if (kind === 'checkout') return this.#purchase(id, couponsOf(data));
    const own = await this.#streams([`purchase-${id}`]);
    const isSold = own.some(
      (line) => 'type' in line && line.type === 'purchase-resold.v1' && line.data['resale_id'] === data['resale_id'],
    );
    return isSold ? this.#purchase(id, []) : own;
  }

  /**
   * The purchase of a resale that is undone, if it comes with this one: it comes with the resale that it has sold, and if it has
   * sold none, with the one that it has abandoned last.
   */
  async #undo(number: number, resale: string, purchase: string): Promise<readonly ExportLine[]> {
    const lines = await this.#streams([`purchase-${purchase}`]);
    const last = this.#decisive(lines);
    if (last === resale) {
      this.#open.delete(number);
      this.#forgetUndone(purchase);
      return lines;
    }
    const isOpen = last === '' || [...this.#open.values()].some(({ data }) => data['resale_id'] === last);
    if (isOpen) this.#undone.set(purchase, [...(this.#undone.get(purchase) ?? []), number]);
    else this.#open.delete(number);
    return [];
  }

  /** The resale of this deal that a purchase has sold, or else abandoned last; empty if there is none. */
  #decisive(lines: readonly ExportLine[]): string {
    let last = '';
    for (const line of lines) {
      if (!('type' in line)) continue;
      const { type, data } = line;
      if (type === 'purchase-resold.v1' && object(data['deal'])['id'] === this.deal) return text(data['resale_id']);
      if (type === 'purchase-resale-abandoned.v1' && data['deal_id'] === this.deal) last = text(data['resale_id']);
    }
    return last;
  }

  #forgetUndone(purchase: string): void {
    for (const number of this.#undone.get(purchase) ?? []) this.#open.delete(number);
    this.#undone.delete(purchase);
  }

  /** A purchase, the coupons of its units, those that its events name, and those that replace them. */
  async #purchase(id: string, coupons: readonly string[]): Promise<readonly ExportLine[]> {
    const own = await this.#streams([`purchase-${id}`]);
    const named = own.flatMap((line) => ('type' in line ? couponsNamedBy(line) : []));
    const seen = new Set<string>();
    const lines: ExportLine[] = [...own];
    let next = [...coupons, ...named];
    while (next.length > 0) {
      const fresh = next.filter((each) => each !== '' && !seen.has(each) && seen.add(each));
      const found = await this.#streams(fresh.map((each) => `coupon-${each}`));
      lines.push(...found);
      next = found.flatMap((line) => ('type' in line ? text(object(line.data['replacement'])['coupon_id']) : []));
    }
    return lines;
  }

  /** These streams as a whole, one after another. */
  async #streams(names: readonly string[]): Promise<readonly ExportLine[]> {
    const lines: ExportLine[] = [];
    for (let from = 0; from < names.length; from += TOGETHER) {
      const some = names.slice(from, from + TOGETHER).map(async (name) => {
        const parts: ExportLine[] = [];
        for await (const part of this.#short(name)) parts.push(...part);
        return parts;
      });
      for (const part of await Promise.all(some)) lines.push(...part);
    }
    return lines;
  }

  /** A stream that stays short. */
  async *#short(stream: string): AsyncGenerator<readonly ExportLine[]> {
    const events = await this.log.whole(stream);
    if (events === undefined) yield* this.#events(stream);
    else yield events.filter(({ position }) => position <= this.log.until.position).map(exportedEvent);
  }

  async *#events(stream: string): AsyncGenerator<readonly ExportLine[]> {
    for (let from = 0; ;) {
      const page = await this.log.read(stream, from);
      if (page === undefined) yield [{ unreadable: { stream, from } }];
      const events = page?.filter(({ position }) => position <= this.log.until.position) ?? [];
      const last = events.at(-1);
      if (last === undefined) return;
      yield events.map(exportedEvent);
      if (events.length < (page?.length ?? 0)) return;
      from = last.revision + 1;
    }
  }
}

const couponsOf = ({ coupons }: Data): readonly string[] => objects(coupons).map(({ id }) => text(id));

/** The coupons that an event of a purchase names. */
function couponsNamedBy({ type, data }: ExportedEvent): readonly string[] {
  switch (type) {
    case 'purchase-opened.v1':
    case 'purchase-charged.v1':
    case 'purchase-resold.v1':
      return couponsOf(data);
    case 'purchase-coupon-cancelled.v1':
      return [text(data['coupon_id'])];
    case 'purchase-coupon-replaced.v1':
      return [text(data['coupon_id']), text(data['replacement_id'])];
    case 'purchase-refund-asked.v1':
      return texts(data['coupons']);
    default:
      return [];
  }
}
