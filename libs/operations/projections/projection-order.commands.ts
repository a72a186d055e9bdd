import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, type ProjectionOrder, Writer } from '#eventsourcing';
import { DomainError, notFound } from '#kernel';
import { OperatedProjections } from './operated-projections.js';
import { projectionOrders } from './projection-order.decider.js';
import type { ProjectionOrderEvent } from './projection-order.events.js';

/**
 * Gives an order to a projection, and writes into the log that it was carried out, with the name of the operator (ruling G6). Its row
 * is the generation that it was about. A repeat finds what its first try has written; if that broke off before, it orders again.
 */
export class OrderProjection extends Command<Done<number>> {
  constructor(
    readonly order: ProjectionOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(OrderProjection)
export class OrderProjectionHandler implements ICommandHandler<OrderProjection> {
  constructor(
    private readonly writer: Writer,
    private readonly projections: OperatedProjections,
  ) {}

  async execute({ order, context }: OrderProjection): Promise<Done<number>> {
    const { writer, projections } = this;
    const { view, verb } = order;
    const before = await writer.repeat(context, projectionOrders, view);
    if (before !== undefined) {
      const [event] = before.events;
      return { row: (event.data as ProjectionOrderEvent['data']).generation, position: before.position };
    }
    const outcome = await projections.order(order);
    if (outcome.kind === 'unknown') throw unknownProjection();
    if (outcome.kind === 'refused') throw new DomainError('projection_refused', outcome.reason);
    const { generation } = outcome;
    const skipped = order.verb === 'skip' ? order.position : null;
    const note = { view, verb, generation, position: skipped };
    const { position } = await writer.execute(projectionOrders, view, note, context);
    return { row: generation, position };
  }
}

export function unknownProjection(): DomainError {
  return notFound(
    'no projection has this name, or none of its generations this number: GET /operators/projections lists them',
  );
}
