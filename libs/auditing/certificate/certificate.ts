import { createHash, type Hash } from 'node:crypto';
import { certificateText, type Checked } from './certificate-text.js';
import type { ExportBegin, ExportedEvent, ExportLine } from './exported-event.js';
import { Faults, type Place } from './faults.js';
import { Group } from './group.js';
import { InventoryCheck, type Closing } from './inventory-check.js';
import { SaleCheck } from './sale-check.js';
import type { Start } from './starts.js';
import { StreamOrder } from './stream-order.js';
import { TermsCheck } from './terms-check.js';
import { Totals } from './totals.js';
import { instant, integer } from './values.js';

/**
 * The certificate of a deal, made line by line from its export (docs/certificate.md). It asks nobody but the lines, and does
 * not use what decides: it is a second opinion. It keeps what is open, bits and fingerprints.
 */
export class Certificate implements Checked {
  readonly faults: Faults;
  readonly totals = new Totals();
  readonly inventory: InventoryCheck;
  readonly deal: string;
  /** The first and the last event of the inventory. */
  first: Place | undefined;
  last: Place | undefined;
  readonly #terms: TermsCheck;
  readonly #sales: SaleCheck;
  readonly #hash: Hash = createHash('sha256');
  readonly #dealOrder: StreamOrder;
  readonly #inventoryOrder: StreamOrder;
  readonly #streams: { readonly deal: string; readonly inventory: string };
  /** What the lines that come belong to. */
  #of: { readonly event: ExportedEvent; readonly closing: Closing | undefined } | Start | undefined;
  #group: Group;

  constructor({ export: { deal, time } }: ExportBegin) {
    this.deal = deal;
    this.faults = new Faults(instant(time));
    this.#terms = new TermsCheck(this.faults);
    this.inventory = new InventoryCheck(this.faults, this.#terms, this.totals);
    this.#sales = new SaleCheck(this.faults, this.totals, this.inventory);
    this.#dealOrder = new StreamOrder(this.faults);
    this.#inventoryOrder = new StreamOrder(this.faults);
    this.#streams = { deal: `deal-${deal}`, inventory: `inventory-${deal}` };
    this.#group = new Group(this.faults);
  }

  /** Takes the next line. @param text the line with its end, whose bytes count for the digest */
  take(line: ExportLine, text: string): void {
    this.#hash.update(text);
    if ('open' in line) this.#open(line.open.revision);
    else if ('unreadable' in line) this.#unreadable(line.unreadable);
    else this.#event(line);
  }

  /** The text, after the last line. */
  end(): string {
    this.#close();
    this.inventory.returns.end();
    this.#sales.end();
    this.#terms.end();
    return certificateText(this, this.#hash.digest('hex'));
  }

  #event(event: ExportedEvent): void {
    this.totals.events += 1;
    if (event.stream === this.#streams.inventory) {
      this.#close();
      this.#inventoryOrder.take(event);
      this.first ??= event;
      this.last = event;
      this.#of = { event, closing: this.inventory.take(event) };
    } else if (event.stream === this.#streams.deal) {
      this.#dealOrder.take(event);
      this.#terms.takeDeal(event);
    } else this.#group.add(event);
  }

  #open(revision: number): void {
    this.#close();
    const starts = [...this.inventory.starts.open.values(), ...this.#sales.unfinished];
    this.#of = starts.find(({ event }) => event.revision === integer(revision));
  }

  #unreadable({ stream, from }: { readonly stream: string; readonly from: number }): void {
    const words = 'nobody can read it from here';
    this.faults.addAt(BigInt(this.last?.position ?? 0), `${stream}@${from}`, 'order', words);
    this.#group.addUnreadable(stream);
  }

  /** Checks what the lines so far belong to. */
  #close(): void {
    const [of, group] = [this.#of, this.#group];
    this.#of = undefined;
    if (of === undefined && group.isEmpty) return;
    this.#group = new Group(this.faults);
    if (of === undefined) this.#refuse(group);
    else if ('kind' in of) this.#sales.atEnd(of, group);
    else if (of.closing === undefined) this.#refuse(group);
    else this.#sales.close(of.event, of.closing, group);
  }

  #refuse(group: Group): void {
    for (const first of group.rest)
      this.faults.add(first, 'accounts', 'nothing that the inventory decided accounts for it');
  }
}
