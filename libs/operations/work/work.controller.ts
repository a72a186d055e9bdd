import { Controller, Get, Inject, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Clock, Reader, WorkBook } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type AnswerOf,
  type Call,
  Describe,
  listOf,
  PAGING,
  pagingOf,
  PostCall,
  read,
  text,
  TheCall,
} from '#http';
import { AbandonWork, RetryWork, workListOf } from './work-order.commands.js';
import { presentWork, presentWorkList, WORK, WORK_LIST, WORK_ORDERED } from './work.answer.js';

/** The log keeps it, and shows it with the name of the operator. */
const WHY = z.object({ reason: text('reason').describe('Why. It stays in the history: name no person.') });

/** Shows the open work of all lists, and lets operators retry or abandon it (ruling G6.2). */
@AllowFor('operator')
@Controller('operators/work')
export class WorkController {
  constructor(
    private readonly book: WorkBook,
    private readonly reader: Reader,
    @Inject(Clock) private readonly clock: Clock,
    private readonly commands: CommandBus,
  ) {}

  @Describe({
    summary: 'Lists the work lists: how much of what the service does by itself waits, is due, and is stuck.',
    parameters: z.object(PAGING),
    answer: listOf('lists', WORK_LIST),
  })
  @Get('')
  async list(@TheCall() call: Call): Promise<object> {
    const { count, page, perPage } = pagingOf(call.parameters, 'work');
    const { book } = this;
    if (count) return answerList(book.lists.length, () => ({}));
    // A view that has stopped hides no other list.
    await Promise.allSettled(book.lists.map(({ view }) => this.reader.until([view], call.since)));
    const now = this.clock.now();
    const counts = await book.counts();
    const shown = counts.map((each) => presentWorkList(each, workListOf(book, each.list), now));
    return answerList(shown.slice((page - 1) * perPage, page * perPage), (lists) => ({ lists }));
  }

  @Describe({
    summary: 'Lists the open work of one list, what is due the longest first.',
    parameters: z.object(PAGING),
    answer: listOf('work', WORK),
  })
  @Get(':list')
  async open(@TheCall() call: Call, @Param('list') name: string): Promise<object> {
    const { count, page, perPage } = pagingOf(call.parameters, 'work');
    const list = workListOf(this.book, name);
    await this.reader.until([list.view], call.since);
    if (count) return answerList(await this.book.count(list), () => ({}));
    const rows = await this.book.page(list, page, perPage);
    const now = this.clock.now();
    return answerList(
      rows.map((row) => presentWork(row, list, now)),
      (work) => ({ work }),
    );
  }

  @Describe({
    summary: 'Tries open work again at once, whatever pause it has. The process that does such work hears of it.',
    answer: WORK_ORDERED,
    refuses: { update_failed: 'it is not due yet' },
  })
  @PostCall(':list/:key/retry')
  async retry(
    @TheCall() call: Call,
    @Param('list') list: string,
    @Param('key') key: string,
  ): Promise<AnswerOf<typeof WORK_ORDERED>> {
    const { position } = await this.commands.execute(new RetryWork({ list, key }, call.since, call.command));
    call.position = position;
    call.act = { words: 'open work was ordered to be tried again', of: { list, key } };
    return { status: 'success', list, key };
  }

  @Describe({
    summary:
      'Ends open work for good, because it will never succeed. Never for open checkouts, refunds that are owed, and what decisions lead to.',
    parameters: WHY,
    answer: WORK_ORDERED,
    refuses: { update_failed: 'work of open-checkouts is never abandoned: void the purchase' },
    example: { reason: 'the mailbox is gone' },
  })
  @PostCall(':list/:key/abandon')
  async abandon(
    @TheCall() call: Call,
    @Param('list') list: string,
    @Param('key') key: string,
  ): Promise<AnswerOf<typeof WORK_ORDERED>> {
    const { reason } = read(WHY, call.parameters, 'work');
    const { position } = await this.commands.execute(new AbandonWork({ list, key }, call.since, reason, call.command));
    call.position = position;
    call.act = { words: 'open work was abandoned', of: { list, key } };
    return { status: 'success', list, key };
  }
}
