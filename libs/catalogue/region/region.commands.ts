import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Reader } from '#eventsourcing';
import { region } from './region.decider.js';
import type { Region } from './region.events.js';
import { regionsView } from './region.view.js';

/** Creates or changes a region (ruling G3). */
export class SetRegion extends Command<Done<Region>> {
  constructor(
    readonly id: string,
    readonly changes: Partial<Omit<Region, 'id'>>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/**
 * Decides a region as `SetRegion` does, and writes nothing.
 * @returns whether it would change anything
 * @throws DomainError
 */
export async function rehearseRegion(
  writer: Pick<Writer, 'rehearse'>,
  id: string,
  changes: SetRegion['changes'],
): Promise<boolean> {
  return (await writer.rehearse(region, id, [{ type: 'set', id, changes }])) > 0;
}

@CommandHandler(SetRegion)
export class SetRegionHandler implements ICommandHandler<SetRegion> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  async execute({ id, changes, context }: SetRegion): Promise<Done<Region>> {
    const { writer, reader } = this;
    // What an earlier try has changed is not changed again: another operator may have changed it since (ruling A11).
    const before = await this.writer.repeat(context, region, id, { types: ['region-set.v1'] });
    const { state, position } =
      before === undefined
        ? await writer.execute(region, id, { type: 'set', id, changes }, context)
        : { state: await writer.readNow(region, id), position: before.position };
    if (state === null) throw new Error('a region that was set has a state');
    await reader.until([regionsView], position ?? 0n);
    return { row: state, position };
  }
}
