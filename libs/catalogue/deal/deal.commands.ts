import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { later, lookingAgain, type CommandContext, type Done, Writer } from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { inventory } from '#purchasing/model';
import { deal } from './deal.decider.js';
import { planOf, settingStock } from './put-plan.js';
import type { DealInput } from './deal.schema.js';
import type { DealAfter, DealState } from './deal.state.js';

/** Creates a deal or changes the given attributes of one (ruling G4). */
export class PutDeal extends Command<Done<DealAfter>> {
  constructor(
    readonly id: string,
    readonly input: DealInput,
    readonly context: CommandContext,
    /** The state of a new deal; submitted if absent. */
    readonly arrives?: DealState,
  ) {
    super();
  }
}

@CommandHandler(PutDeal)
export class PutDealHandler implements ICommandHandler<PutDeal> {
  constructor(private readonly writer: Writer) {}

  execute(command: PutDeal): Promise<Done<DealAfter>> {
    return lookingAgain(command.context, (context) => this.#put(command, context));
  }

  async #put({ id, input, arrives }: PutDeal, context: CommandContext): Promise<Done<DealAfter>> {
    const { writer } = this;
    const { command, units, codes, refuse } = await planOf(writer, id, input, arrives, context);
    // What an earlier try has changed is not changed again: another operator may have changed it since (ruling A11).
    const before = await writer.repeat(context, deal, id, { types: ['deal-created.v1', 'deal-changed.v1'] });
    // Every refusal comes before the first change, so that nothing is half done.
    await refuse({ isPut: before !== undefined });
    let written: Position | undefined;
    for (const each of units) {
      written = (await writer.execute(inventory, id, each, context)).position ?? written;
    }
    written = later(written, await codes.write(context));
    const { state, position } =
      before === undefined
        ? await writer.execute(deal, id, command, context)
        : { state: await writer.readNow(deal, id), position: undefined };
    if (state === null) throw new Error('a deal that was put has a state');
    const completed = position === undefined ? await completeTerms(writer, id) : undefined;
    return { row: state, position: later(position ?? written, completed) };
  }
}

/** Moves a deal through its workflow (ruling C1). */
export class MoveDeal extends Command<Done<DealAfter>> {
  constructor(
    readonly id: string,
    readonly to: DealState,
    readonly reason: string | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(MoveDeal)
export class MoveDealHandler implements ICommandHandler<MoveDeal> {
  constructor(private readonly writer: Writer) {}

  async execute({ id, to, reason, context }: MoveDeal): Promise<Done<DealAfter>> {
    const { writer } = this;
    const before = await this.writer.repeat(context, deal, id, { types: ['deal-moved.v1'] });
    const { state, position } =
      before === undefined
        ? await writer.execute(deal, id, { type: 'move', to, reason }, context)
        : { state: await writer.readNow(deal, id), position: undefined };
    if (state === null) throw new Error('a deal that was moved has a state');
    return { row: state, position: position ?? (await completeTerms(this.writer, id)) };
  }
}

/**
 * Writes terms that the inventory misses: the process that changed the deal may have died before its followers wrote them,
 * and without a worker no work list does it.
 * @returns the position of what it wrote, if anything was missing
 */
async function completeTerms(writer: Writer, id: string): Promise<Position | undefined> {
  const { terms } = await writer.read(inventory, id);
  return writer.complete(deal, id, { from: terms === null ? 0 : terms.deal.revision + 1 });
}

/** The units of a deal after a change of its stock. */
interface StockAfter {
  readonly stock: number | null;
  readonly held: number;
  readonly sold: number;
}

/** Sets the number of all units, sold ones included (rulings D1, G4). */
export class SetStock extends Command<Done<StockAfter>> {
  constructor(
    readonly id: string,
    readonly units: number | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SetStock)
export class SetStockHandler implements ICommandHandler<SetStock> {
  constructor(private readonly writer: Writer) {}

  async execute({ id, units, context }: SetStock): Promise<Done<StockAfter>> {
    const { writer } = this;
    if ((await writer.read(deal, id)) === null) throw new DomainError('deal_not_found', 'Unable to find');
    return lookingAgain(context, async (present) => {
      const [setting] = await settingStock(this.writer, id, units, present);
      const done = setting && (await writer.execute(inventory, id, setting, present));
      const { stock, held, sold } = done?.state ?? (await writer.readNow(inventory, id));
      return { row: { stock, held, sold }, position: done?.position };
    });
  }
}
