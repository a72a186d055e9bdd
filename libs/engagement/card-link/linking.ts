import { later, showsRow, type CommandContext, type Writer } from '#eventsourcing';
import type { EventBody, EventOf, Position } from '#kernel';
import { cardLink } from './card-link.decider.js';
import type { CardLinkRow } from './card-link.row.js';
import type { CardLinkState } from './card-link.state.js';
import { completeFreeing, completeLink } from './complete-links.js';
import type { LinkableDeal } from './linkable-deal.js';
import { linkage, type TakePlace } from './linkage.decider.js';
import type { UserLinked } from './linkage.events.js';

/** A link that a call asks for. */
export interface WantedLink extends LinkableDeal {
  readonly card_link_id: string;
}

/** The links of one call, which are made one after another, and taken back if one of them is refused (ruling E3). */
export class Linking {
  /** The turn of each link that this call made, perhaps in an earlier try. */
  readonly #made = new Map<string, number>();
  #position: Position | undefined;

  constructor(
    private readonly writer: Writer,
    private readonly partnerId: string,
    private readonly userId: string,
    private readonly context: CommandContext,
    /** Whether it takes links back: the call asks for more than one. */
    private readonly isOfSeveral: boolean,
  ) {}

  /** The last position that it wrote. */
  get position(): Position | undefined {
    return this.#position;
  }

  /** Finds a link that an earlier try of the same call made, with what a crash cut off. False for a first try. */
  async recall({ card_link_id, deal_id }: WantedLink): Promise<boolean> {
    const before = await this.writer.repeat(this.context, linkage, deal_id, { types: ['user-linked.v1'] });
    if (before === undefined) return false;
    this.#note(before.position);
    const own = (before.events[0] as EventBody as EventOf<'user-linked.v1', UserLinked>).data.turn;
    const { row, turn } = await this.writer.readNow(cardLink, card_link_id);
    // Without a row, the earlier try took it back.
    if (row === null || turn !== own) return false;
    this.#made.set(card_link_id, turn);
    return true;
  }

  /** @throws DomainError card_link_not_changed if the link would be refused now */
  async check(link: WantedLink): Promise<void> {
    const { row, turn } = await this.#known(link);
    if (row !== null) return;
    await this.writer.rehearse(linkage, link.deal_id, [this.#take(link, turn + 1)]);
  }

  /** Makes a link, or finds the existing one. @throws DomainError card_link_not_changed */
  async make(link: WantedLink): Promise<CardLinkRow> {
    const { card_link_id, deal_id } = link;
    for (;;) {
      const { row, turn } = await this.#known(link);
      if (row !== null) return row;
      const taken = await this.writer.execute(linkage, deal_id, this.#take(link, turn + 1), this.context);
      this.#note(taken.position);
      if (taken.events.length > 0) this.#made.set(card_link_id, turn + 1);
      // Another call has just taken the place: perhaps a crash cut off its link.
      else this.#note(await completeLink(this.writer, deal_id, card_link_id));
    }
  }

  /**
   * The link, before this call answers with it. The call that made it can then no more take it back; if it already has, this call
   * makes the link.
   * @throws DomainError card_link_not_changed
   */
  async keep(link: WantedLink): Promise<CardLinkRow> {
    for (;;) {
      const row = await this.make(link);
      if (this.#made.has(link.card_link_id)) return row;
      const kept = await this.writer.execute(cardLink, link.card_link_id, { type: 'keep' }, this.context);
      this.#note(kept.position);
      showsRow(kept.last);
      if (kept.state.row !== null) return kept.state.row;
    }
  }

  /** Takes back the links that this call made. Those that were used since then stay. */
  async undo(): Promise<void> {
    for (const [id, turn] of this.#made) {
      this.#note((await this.writer.execute(cardLink, id, { type: 'undo', turn }, this.context)).position);
    }
  }

  /** A link as the log has it now. If its place must be free, it is. */
  async #known(link: WantedLink): Promise<CardLinkState> {
    const known = await this.writer.readNow(cardLink, link.card_link_id);
    if (known.row === null && known.turn > 0) this.#note(await completeFreeing(this.writer, link, known.turn));
    return known;
  }

  #take({ card_link_id, deal_id, merchant_id, terms }: WantedLink, turn: number): TakePlace {
    const { userId: user_id, partnerId: partner_id } = this;
    const link = { card_link_id, deal_id, user_id, partner_id, merchant_id, turn };
    return { type: 'take', link: this.isOfSeveral ? { ...link, among_several: true } : link, terms };
  }

  #note(position: Position | undefined): void {
    this.#position = later(this.#position, position);
  }
}
