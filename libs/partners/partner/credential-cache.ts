import { hash } from 'node:crypto';
import { ViewCache, type Writer, type ViewChanges, type Randomness } from '#eventsourcing';
import type { Caller } from '#http';
import type { View } from '#kernel';
import { partner, type PartnerState } from './partner.decider.js';

export type PartnerCaller = Extract<Caller, { kind: 'partner' }>;

/** Credentials in each of the two generations of the memory. */
const CACHED = 10_000;

/** Where a view has a credential. */
export interface Found {
  readonly partner_id: string;
}

/** What is remembered of a credential: where it was found, and what it was worth by the last known state of its partner. */
interface Known<Where extends Found> {
  readonly found: Where;
  state?: PartnerState;
  caller?: PartnerCaller | undefined;
}

/**
 * Finds the partner of a credential. Where a credential belongs is remembered until a view of credentials changes; that one is
 * unknown, never. Whether it still counts is asked of the partner's own stream at each use (ruling I10), because a view may lag.
 * Inside this process a salted hash is enough, and much faster than a keyed one; every call of a partner needs it.
 */
export class CredentialCache<Where extends Found> {
  readonly #cache: ViewCache<Known<Where>>;
  readonly #salt: string;

  /**
   * @param view the view of the credentials
   * @param callerOf the caller with such a credential, by the partner's state; undefined if the credential does not count
   */
  constructor(
    private readonly writer: Writer,
    changes: ViewChanges,
    randomness: Pick<Randomness, 'hex'>,
    view: Pick<View, 'name'>,
    private readonly callerOf: (found: Where, state: PartnerState) => PartnerCaller | undefined,
  ) {
    this.#salt = randomness.hex(32);
    this.#cache = new ViewCache(changes, view, CACHED);
  }

  async find(credential: string, look: () => Promise<Where | undefined>): Promise<PartnerCaller | undefined> {
    const known = await this.#cache.find(hash('sha256', this.#salt + credential), async () => {
      const found = await look();
      return found && { found };
    });
    return known && this.#callerNow(known);
  }

  async #callerNow(known: Known<Where>): Promise<PartnerCaller | undefined> {
    const { writer } = this;
    const id = known.found.partner_id;
    const state = writer.known(partner, id) ?? (await this.#read(known));
    if (state === known.state) return known.caller;
    if (this.#note(known, state) !== undefined) return known.caller;
    // The view has it, so another process may have issued it a moment ago: the end of the stream decides.
    return this.#note(known, await writer.readNow(partner, id));
  }

  /** While the log cannot be asked, what was known last counts for reads, as in views. Nothing is decided then. */
  async #read({ found, state }: Known<Where>): Promise<PartnerState> {
    try {
      return await this.writer.read(partner, found.partner_id);
    } catch (error) {
      if (state === undefined) throw error;
      return state;
    }
  }

  #note(known: Known<Where>, state: PartnerState): PartnerCaller | undefined {
    known.state = state;
    known.caller = this.callerOf(known.found, state);
    return known.caller;
  }
}
