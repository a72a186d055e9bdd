import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AllowFor, type AnswerOf, type Call, Describe, read, TheCall } from '#http';
import { presentEvent } from '../event/event.present.js';
import { PART_OF_STREAM } from '../log/audited-events.parameters.js';
import { PART_OF_LEDGER } from './ledger.answer.js';
import { LedgerOfDeal } from './ledger.queries.js';

/** The ledger of a deal's stock, for auditors (ruling G7). */
@AllowFor('auditor')
@Controller('auditors')
export class LedgerController {
  constructor(private readonly queries: QueryBus) {}

  @Describe({
    summary: 'Lists the changes of a deal’s stock, and of its held and sold units, each with the units after it.',
    parameters: PART_OF_STREAM,
    answer: PART_OF_LEDGER,
  })
  @Get('deals/:slug/ledger')
  async ledger(@TheCall() call: Call, @Param('slug') slug: string): Promise<AnswerOf<typeof PART_OF_LEDGER>> {
    const { from = 0, limit = 100 } = read(PART_OF_STREAM, call.parameters, 'event');
    const { entries, next = null } = await this.queries.execute(new LedgerOfDeal(slug, from, limit));
    return {
      status: 'success',
      deal_id: slug,
      entries: entries.map(({ event, change, units }) => {
        const { revision, position, time, actor, cause, type, words } = presentEvent(event);
        return { revision, position, time, actor, cause, type, words, change, units };
      }),
      next,
    };
  }
}
