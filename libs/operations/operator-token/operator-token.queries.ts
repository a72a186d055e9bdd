import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, everything, listRows, NEWEST_FIRST, type Listed, type Paging } from '#eventsourcing';
import type { Position } from '#kernel';
import { operatorTokensView, type OperatorTokenRow } from './operator-token.view.js';

/** Lists all tokens of operators and auditors, newest first, without secrets. */
export class ListTokens {
  constructor(
    readonly paging: Paging,
    readonly since: Position,
  ) {}
}

@QueryHandler(ListTokens)
export class ListTokensHandler implements IQueryHandler<ListTokens, Listed<OperatorTokenRow>> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'views' | 'freshness'>) {}

  execute(asked: ListTokens): Promise<Listed<OperatorTokenRow>> {
    return listRows(this.engine, operatorTokensView, everything, asked, NEWEST_FIRST);
  }
}
