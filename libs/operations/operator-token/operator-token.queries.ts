import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { everything, NEWEST_FIRST, type Listed, type Paging, Reader } from '#eventsourcing';
import type { Position } from '#kernel';
import { operatorTokensView, type OperatorTokenRow } from './operator-token.view.js';

/** Lists all tokens of operators and auditors, newest first, without secrets. */
export class ListTokens extends Query<Listed<OperatorTokenRow>> {
  constructor(
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListTokens)
export class ListTokensHandler implements IQueryHandler<ListTokens> {
  constructor(private readonly reader: Reader) {}

  execute(asked: ListTokens): Promise<Listed<OperatorTokenRow>> {
    return this.reader.list(operatorTokensView, everything, asked, NEWEST_FIRST);
  }
}
