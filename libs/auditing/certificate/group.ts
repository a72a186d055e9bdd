import type { ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { StreamOrder } from './stream-order.js';

/** It may stand anywhere in a purchase, and says nothing of units and money. */
const CHANGES_NO_UNIT = 'purchase-buyer-erased.v1';

const NO_EVENTS: readonly ExportedEvent[] = [];

/** The streams that belong to one event of the inventory, each as a whole. */
export class Group {
  readonly #streams = new Map<string, ExportedEvent[]>();
  readonly #unreadable = new Set<string>();
  readonly #taken = new Set<string>();
  #last: StreamOrder | undefined;
  #lastStream = '';

  constructor(private readonly faults: Faults) {}

  add(event: ExportedEvent): void {
    const { stream } = event;
    if (stream !== this.#lastStream) {
      // A stream that stands here twice would be counted twice.
      if (this.#streams.has(stream)) this.faults.add(event, 'order', 'its stream comes in two parts');
      this.#last = new StreamOrder(this.faults);
      this.#lastStream = stream;
    }
    this.#last?.take(event);
    if (event.type === CHANGES_NO_UNIT) return;
    const events = this.#streams.get(stream);
    if (events === undefined) this.#streams.set(stream, [event]);
    else events.push(event);
  }

  addUnreadable(stream: string): void {
    this.#unreadable.add(stream);
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0 && this.#unreadable.size === 0;
  }

  has(stream: string): boolean {
    return this.#streams.has(stream);
  }

  /** Whether nobody can read a stream to its end: then what is missing in it is no fault of its own. */
  isUnreadable(stream: string): boolean {
    return this.#unreadable.has(stream);
  }

  /** The events of a stream; none if it is missing. */
  take(stream: string): readonly ExportedEvent[] {
    this.#taken.add(stream);
    return this.#streams.get(stream) ?? NO_EVENTS;
  }

  /** The first event of each stream that nobody has taken. */
  get rest(): readonly ExportedEvent[] {
    return [...this.#streams].flatMap(([stream, [first]]) =>
      first === undefined || this.#taken.has(stream) ? [] : first,
    );
  }
}
