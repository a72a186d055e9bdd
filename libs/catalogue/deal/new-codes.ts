import { hasBegun, later, Unavailable, type CommandContext, type Writer } from '#eventsourcing';
import { LookAgain, streamName, type EventBody, type Position } from '#kernel';
import { inventory, type InventoryCommand, type InventoryEvent, type InventoryState } from '#purchasing/model';

/** The most codes in one event: this many codes of the greatest length fit one append. */
const CODES_AT_ONCE = 1_000;
/** Events per read of older codes. Those of one import mostly stand together, and so many fit a page whatever their size. */
const PAGE = 16;
/** How often others may add codes while this call looks at theirs. */
const MOST_LOOKS = 20;

/** A pool as far as somebody has looked at its codes. */
interface Seen {
  /** All codes that it has ever had. */
  readonly added: number;
  /** The revision of the last event with codes; null without one. */
  readonly last: number | null;
}

/**
 * Codes for a deal's pool, without those that it has ever had. The inventory's state has no texts, so this reads the events with
 * older codes, a few at a time, and keeps only those that are new.
 */
export class NewCodes {
  readonly #fresh: Set<string>;
  #seen: Seen = { added: 0, last: null };
  #written: Position | undefined;

  constructor(
    private readonly writer: Writer,
    private readonly dealId: string,
    codes: readonly string[],
  ) {
    this.#fresh = new Set(codes);
  }

  /**
   * Decides some commands on the inventory and the addition of the codes, and writes nothing.
   * @returns how many events they would write
   * @throws DomainError as `rehearse` does
   * @throws Unavailable if it cannot read the older codes, or others keep adding some
   */
  rehearse(before: readonly InventoryCommand[]): Promise<number> {
    return this.#withLook(() => this.writer.rehearse(inventory, this.dealId, [...before, ...this.#commands()]));
  }

  /**
   * Adds the new codes, in events of at most `CODES_AT_ONCE`.
   * @returns the position of the last event; undefined if nothing was new
   * @throws Unavailable if it cannot read or write now, or others keep adding codes
   */
  async write(context: CommandContext): Promise<Position | undefined> {
    const { writer } = this;
    await this.#withLook(async () => {
      for (const command of this.#commands()) {
        const { state, position } = await writer.execute(inventory, this.dealId, command, context);
        for (const code of command.codes) this.#fresh.delete(code);
        this.#seen = { ...seenIn(state), added: command.seen + command.codes.length };
        this.#written = later(this.#written, position);
        // The caller hears of the rest, too: an import of codes takes several appends.
        if (this.#fresh.size > 0) hasBegun();
      }
    });
    return this.#written;
  }

  #commands(): readonly Extract<InventoryCommand, { type: 'add-codes' }>[] {
    const codes = [...this.#fresh];
    const { added } = this.#seen;
    return Array.from({ length: Math.ceil(codes.length / CODES_AT_ONCE) }, (_, part) => {
      const at = part * CODES_AT_ONCE;
      return { type: 'add-codes', codes: codes.slice(at, at + CODES_AT_ONCE), seen: added + at };
    });
  }

  /** Looks at the older codes before it runs something, and again if others have added some meanwhile. */
  async #withLook<T>(run: () => Promise<T>): Promise<T> {
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      try {
        if (this.#fresh.size > 0) await this.#look();
        return await run();
      } catch (error) {
        if (!(error instanceof LookAgain)) throw error;
      }
    }
    throw new Unavailable('others keep adding codes to this deal');
  }

  /** Drops the codes that others have added since the last look: each event with codes names the one before it. */
  async #look(): Promise<void> {
    const { writer } = this;
    const stream = streamName(inventory.category, this.dealId);
    const present = seenIn(await writer.read(inventory, this.dealId));
    let next = present.last;
    while (next !== null && next !== this.#seen.last && this.#fresh.size > 0) {
      const from = next;
      const page = await writer.events(stream, { from: Math.max(0, from - PAGE + 1), most: PAGE });
      for (const stored of page.toReversed()) {
        if (stored.revision !== next || next === this.#seen.last) continue;
        const { type, data } = stored as EventBody as InventoryEvent;
        if (type !== 'codes-added.v1') break;
        for (const code of data.codes) this.#fresh.delete(code);
        next = data.previous;
      }
      if (next === from) throw new Unavailable('the event log does not give all codes of this deal', 1, stream);
    }
    this.#seen = present;
  }
}

function seenIn({ codes }: InventoryState): Seen {
  return { added: codes?.added ?? 0, last: codes?.last ?? null };
}
