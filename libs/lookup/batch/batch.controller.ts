import { Controller, Get, Param } from '@nestjs/common';
import { Writer } from '#eventsourcing';
import { AllowFor, type AnswerOf, Describe } from '#http';
import { notFound, streamName } from '#kernel';
import { batch } from '#mailing/model';
import { presentBatch } from '../lists/batches.list.js';
import { BATCH } from './batch.answer.js';
import { mailsOf } from './mails-of-batch.js';

/** Batches with their mails, for operators and auditors. */
@AllowFor('auditor')
@Controller('operators')
export class BatchController {
  constructor(private readonly writer: Writer) {}

  @Describe({ summary: 'Shows a batch of mails, and what has become of each mail.', answer: BATCH })
  @Get('batches/:id')
  async show(@Param('id') id: string): Promise<AnswerOf<typeof BATCH>> {
    const state = await this.writer.readNow(batch, id);
    if (state === null) throw notFound('no batch has this id');
    const { row } = state;
    const events = await this.writer.events(streamName(batch.category, id));
    return { status: 'success', batch: presentBatch(row), mails: [...mailsOf(row.user_ids, events)] };
  }
}
