import { Readable } from 'node:stream';
import { Inject, Controller, Get, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Slices, Time } from '#eventsourcing';
import { AllowFor, Describe, success, type AnswerOf } from '#http';
import { HISTORY_EVENT, MISSING_EVENTS, SOLD_DEAL } from './purchase-history.answer.js';
import { presentHistory } from './purchase-history.present.js';
import { PurchaseHistory, type EventsOfPurchase } from './purchase-history.queries.js';

/** Characters of a piece of the answer. */
const PIECE = 65_536;

/** The history of a purchase, for auditors (ruling G7). */
@AllowFor('auditor')
@Controller('auditors')
export class HistoryController {
  constructor(
    @Inject(Time) private readonly time: Time,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary:
      'Lists every event of a purchase in the order of the log, with the state that it led to, and shows the deal as sold.',
    answer: success({
      purchase_id: z.string(),
      missing: MISSING_EVENTS,
      deals: z
        .array(SOLD_DEAL)
        .describe('The deal as sold; more than one if a coupon was issued again with other terms.'),
      events: z.array(HISTORY_EVENT),
    }),
  })
  @Get('purchases/:id/history')
  async purchase(@Param('id') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Readable> {
    const history = await this.queries.execute(new PurchaseHistory(id));
    void reply.type('application/json; charset=utf-8');
    return Readable.from(pieces(id, history, new Slices(this.time)));
  }
}

/**
 * The answer's text in pieces. That of a refunded purchase of 1000 units is too long for one text: each of its thousands of
 * events has the states of all coupons.
 */
async function* pieces(
  id: string,
  { events, deals, missing }: EventsOfPurchase,
  slices: Slices,
): AsyncGenerator<string> {
  let piece = `{"status":"success","purchase_id":${JSON.stringify(id)}`;
  if (missing.length > 0) piece += `,"missing":${JSON.stringify(missing)}`;
  piece += `,"deals":${JSON.stringify(deals satisfies readonly AnswerOf<typeof SOLD_DEAL>[])},"events":[`;
  let comma = '';
  for (const event of presentHistory(events)) {
    piece += comma + JSON.stringify(event);
    comma = ',';
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
    if (slices.isOver) await slices.next();
  }
  yield `${piece}]}`;
}
