import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { AllowFor, Describe, success } from '#http';
import type { Recorded } from '#kernel';
import { HISTORY_EVENT } from './purchase-history.answer.js';
import { presentHistory } from './purchase-history.present.js';
import { PurchaseHistory } from './purchase-history.queries.js';

/** The history of a purchase, for auditors (ruling G7). */
@AllowFor('auditor')
@Controller('auditors')
export class HistoryController {
  constructor(private readonly queries: QueryBus) {}

  @Describe({
    summary: 'Lists every event of a purchase in the order of the log, with the state that it led to.',
    answer: success({ purchase_id: z.string(), events: z.array(HISTORY_EVENT) }),
  })
  @Get('purchases/:id/history')
  async purchase(@Param('id') id: string): Promise<object> {
    const events = await this.queries.execute<PurchaseHistory, readonly Recorded[]>(new PurchaseHistory(id));
    return { status: 'success', purchase_id: id, events: presentHistory(events) };
  }
}
