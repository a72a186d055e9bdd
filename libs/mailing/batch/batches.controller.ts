import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Freshness } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type Call,
  DeleteCall,
  Describe,
  DescribeUnder,
  listOf,
  NoTokens,
  PAGING,
  pagingOf,
  partnerOf,
  read,
  readTogether,
  sinceOf,
  success,
  TheCall,
  ValidationFailed,
} from '#http';
import { BATCH } from './batch.answer.js';
import { BatchInvalid } from './batch.faults.js';
import { BATCH_EXAMPLE, FILTERS, GUARD, NEW_BATCH, readGuard, readNewBatch } from './batch.parameters.js';
import { presentBatch } from './batch.present.js';
import { FindBatch, ListBatches } from './batch.queries.js';
import type { BatchRow } from './batch.row.js';
import { entriesOf } from './batch.words.js';
import { CancelBatch } from './cancel-batch.commands.js';
import { CreateBatch } from './create-batch.commands.js';

const ONE = success({ batch: BATCH });

/** Mails about a deal to chosen users (interface 4.14). They are the partner's alone. */
@AllowFor('partner')
@NoTokens('all')
@DescribeUnder('Targeted email')
@Controller('targeted_email/batches')
export class BatchesController {
  constructor(
    private readonly freshness: Freshness,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary: 'Lists your batches, newest first.',
    prefix: '/v1',
    parameters: FILTERS.extend(PAGING),
    answer: listOf('batches', BATCH),
  })
  @Get()
  async list(@TheCall() call: Call): Promise<object> {
    const [filters, paging] = readTogether(
      () => read(FILTERS, call.parameters, 'batch'),
      () => pagingOf(call.parameters, 'batch'),
    );
    const query = new ListBatches(partnerOf(call).id, filters, paging, sinceOf(call, this.freshness));
    return answerList(await this.queries.execute(query), (rows) => ({ batches: rows.map(presentBatch) }));
  }

  @Describe({ summary: 'Shows a batch.', prefix: '/v1', parameters: GUARD, answer: ONE })
  @Get(':batch_id')
  async find(@TheCall() call: Call, @Param('batch_id') id: string): Promise<object> {
    const query = new FindBatch(partnerOf(call).id, id, readGuard(call.parameters), sinceOf(call, this.freshness));
    return answerOf(await inWords(this.queries.execute(query)));
  }

  @Describe({
    summary: 'Schedules a mail about a deal for some of your users tomorrow.',
    prefix: '/v1',
    parameters: NEW_BATCH,
    created: true,
    answer: ONE,
    example: BATCH_EXAMPLE,
  })
  @Post()
  @HttpCode(201)
  async create(@TheCall() call: Call): Promise<object> {
    const command = new CreateBatch(partnerOf(call).id, readNewBatch(call.parameters), call.command);
    return this.#change(call, command);
  }

  @Describe({
    summary: 'Cancels a batch of which nothing was sent yet: its users can be in another batch of that day.',
    prefix: '/v1',
    parameters: GUARD,
    answer: ONE,
  })
  @DeleteCall(':batch_id')
  async cancel(@TheCall() call: Call, @Param('batch_id') id: string): Promise<object> {
    return this.#change(call, new CancelBatch(partnerOf(call).id, id, readGuard(call.parameters), call.command));
  }

  async #change(call: Call, command: CreateBatch | CancelBatch): Promise<object> {
    const changed = this.commands.execute(command);
    const { row, position } = await inWords(changed);
    call.position = position;
    return answerOf(row);
  }
}

function answerOf(row: BatchRow): object {
  return { status: 'success', batch: presentBatch(row) };
}

/** @throws ValidationFailed with an entry for each fault of a batch */
async function inWords<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof BatchInvalid) throw new ValidationFailed(entriesOf(error.faults));
    throw error;
  }
}
