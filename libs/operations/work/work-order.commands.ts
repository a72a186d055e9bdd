import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, type OpenRow, type OpenWork, Reader, WorkBook, Writer } from '#eventsourcing';
import { DomainError, isoTime, notFound, type Position } from '#kernel';
import { type PieceOfWork, workOrderId, workOrders } from './work-order.decider.js';

/** Tries open work again at once (ruling G6.2), in the process that does it. A repeat finds the order of its first try. */
export class RetryWork extends Command<Done<null>> {
  constructor(
    readonly of: PieceOfWork,
    /** The operator has seen the open work up to here. */
    readonly since: Position,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Ends open work for good (ruling G6.2): the order removes its row. Again: nothing happens. */
export class AbandonWork extends Command<Done<null>> {
  constructor(
    readonly of: PieceOfWork,
    /** As of a retry. */
    readonly since: Position,
    readonly reason: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RetryWork)
export class RetryWorkHandler implements ICommandHandler<RetryWork> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly book: WorkBook,
  ) {}

  async execute({ of, since, context }: RetryWork): Promise<Done<null>> {
    const { writer, reader, book } = this;
    const before = await writer.repeat(context, workOrders, workOrderId(of));
    if (before !== undefined) return { row: null, position: before.position };
    const { list, row } = await workOf({ reader, book }, of, since);
    if (row === undefined) throw unknownWork();
    if (row.state === 'waiting') {
      const { key } = of;
      throw new DomainError('work_refused', `${key} of ${of.list} is not due before ${isoTime(row.row.due_at)}`);
    }
    const { position } = await writer.execute(workOrders, workOrderId(of), { type: 'retry', ...of }, context);
    book.retry(list, of.key);
    return { row: null, position };
  }
}

@CommandHandler(AbandonWork)
export class AbandonWorkHandler implements ICommandHandler<AbandonWork> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly book: WorkBook,
  ) {}

  async execute({ of, since, reason, context }: AbandonWork): Promise<Done<null>> {
    const { writer, reader, book } = this;
    const before = await writer.repeat(context, workOrders, workOrderId(of));
    if (before !== undefined) return { row: null, position: before.position };
    const { list, row } = await workOf({ reader, book }, of, since);
    if (row === undefined) {
      if ((await writer.readNow(workOrders, workOrderId(of))) !== 'abandon') throw unknownWork();
      return { row: null, position: undefined };
    }
    const instead = list.shown.insteadOfAbandoning?.(of.key, row.row);
    if (instead !== undefined)
      throw new DomainError('work_refused', `work of ${of.list} is never abandoned: ${instead}`);
    const { position } = await writer.execute(workOrders, workOrderId(of), { type: 'abandon', reason, ...of }, context);
    return { row: null, position };
  }
}

/** A list by its name. @throws DomainError not_found */
export function workListOf(book: WorkBook, name: string): OpenWork {
  const list = book.list(name);
  if (list === undefined) throw notFound('no work list has this name: GET /operators/work lists them');
  return list;
}

/**
 * A list, and a row of it; undefined if the whole log has none.
 * @throws DomainError not_found for an unknown list; Unavailable; ViewNotReady
 */
async function workOf(
  { reader, book }: { readonly reader: Reader; readonly book: WorkBook },
  { list: name, key }: PieceOfWork,
  since: Position,
): Promise<{ readonly list: OpenWork; readonly row: OpenRow | undefined }> {
  const list = workListOf(book, name);
  await reader.until([list.view], since);
  const seen = await book.row(list, key);
  if (seen !== undefined) return { list, row: seen };
  await reader.until([list.view], await reader.end());
  return { list, row: await book.row(list, key) };
}

function unknownWork(): DomainError {
  return notFound('no work of this list that is open has this key: it may be done');
}
