import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, everything } from '#eventsourcing';
import type { Paging } from '#http';
import type { Position } from '#kernel';
import { operatorTokensView, type OperatorTokenRow } from './operator-token.view.js';

/** All tokens of operators and auditors, newest first; never a secret. */
export class ListTokens {
  constructor(
    readonly paging: Paging,
    readonly since: Position,
  ) {}
}

@QueryHandler(ListTokens)
export class ListTokensHandler implements IQueryHandler<ListTokens, readonly OperatorTokenRow[] | number> {
  constructor(private readonly engine: Engine) {}

  async execute({ paging, since }: ListTokens): Promise<readonly OperatorTokenRow[] | number> {
    const { views, freshness } = this.engine;
    await freshness.until([operatorTokensView], since);
    const reader = views.reader(operatorTokensView);
    if (paging.count) return reader.count(everything);
    const sort = [{ field: 'created_at', descending: true }];
    return (await reader.find({ where: everything, sort, ...paging })).map(({ row }) => row);
  }
}
