import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Engine } from '#eventsourcing';
import {
  AllowFor,
  boolean,
  faultsOf,
  oneOfWords,
  pagingOf,
  PAGING_NAMES,
  sinceOf,
  text,
  TheCall,
  ValidationFailed,
  type Call,
} from '#http';
import { DomainError } from '#kernel';
import { presentDeal } from './deal.present.js';
import { GetDeal, ListDeals, type FoundDeal } from './deal.queries.js';
import { DEAL_STATES } from './deal.state.js';

const LIST = z.strictObject({
  region: text()
    .refine((place) => place.length <= 200, { error: 'must be at most 200 characters' })
    .optional(),
  state: oneOfWords(DEAL_STATES).optional(),
  show_all: boolean()
    .refine((all) => all, { error: 'can only be true' })
    .optional(),
});

/** Parameters that every call may carry. */
const EVERYWHERE: ReadonlySet<string> = new Set(['api_key', ...PAGING_NAMES]);

/** Deals in the v1 shape (interface 4.3). */
@AllowFor('partner')
@Controller('deals')
export class DealsController {
  constructor(
    private readonly engine: Engine,
    private readonly queries: QueryBus,
  ) {}

  @Get('')
  async list(@TheCall() call: Call): Promise<object> {
    const { region, state, show_all } = listed(call);
    const paging = listPaging(call);
    const asked = show_all === true ? state : (state ?? 'in-flight');
    const query = new ListDeals(region, asked, paging, sinceOf(call, this.engine.freshness));
    const found = await this.queries.execute<ListDeals, readonly FoundDeal[] | number>(query);
    if (typeof found === 'number') return { status: 'success', count: found };
    return { status: 'success', deals: found.map((parts) => this.#present(parts)) };
  }

  @Get(':deal_id')
  async get(@TheCall() call: Call, @Param('deal_id') id: string): Promise<object> {
    const query = new GetDeal(id, sinceOf(call, this.engine.freshness));
    const found = await this.queries.execute<GetDeal, FoundDeal>(query);
    return { status: 'success', deal: this.#present(found) };
  }

  #present(found: FoundDeal): object {
    return presentDeal({ ...found, publicUrl: this.engine.site.publicUrl });
  }
}

/** A parameter that is unknown, of a wrong type or impossible is 404, naming it (ruling C3). */
function listed(call: Call): z.infer<typeof LIST> {
  const given = Object.fromEntries(Object.entries(call.parameters).filter(([name]) => !EVERYWHERE.has(name)));
  const parsed = LIST.safeParse(given);
  if (parsed.success) return parsed.data;
  const [fault] = faultsOf(parsed.error, given, 'deal');
  const message = fault?.message === 'is not an attribute' ? 'is not a parameter of this call' : fault?.message;
  throw new DomainError('find_failed', `${fault?.field ?? 'a parameter'} ${message ?? 'is wrong'}`);
}

/** Paging as everywhere, but its faults are 404 here (ruling A10). */
function listPaging(call: Call): ReturnType<typeof pagingOf> {
  try {
    return pagingOf(call.parameters, 'deal');
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    const [fault] = error.entries;
    throw new DomainError('find_failed', `${fault?.field ?? 'paging'} ${fault?.message ?? 'is wrong'}`);
  }
}
