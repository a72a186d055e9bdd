import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AllowFor, type AnswerOf, type Call, Describe, read, TheCall } from '#http';
import { isoTime } from '#kernel';
import { PART_OF_STREAM } from '../log/audited-events.parameters.js';
import { PERSON_READS } from './person-reads.answer.js';
import { ReadsOfPerson } from './person-reads.queries.js';

/** Who has read personal data, for auditors (ruling G7). */
@AllowFor('auditor')
@Controller('auditors')
export class PersonReadsController {
  constructor(private readonly queries: QueryBus) {}

  @Describe({
    summary: 'Lists who has read the personal data of a user, and when.',
    parameters: PART_OF_STREAM,
    answer: PERSON_READS,
  })
  @Get('users/:id/reads')
  async reads(@TheCall() call: Call, @Param('id') id: string): Promise<AnswerOf<typeof PERSON_READS>> {
    const { from = 0, limit = 100 } = read(PART_OF_STREAM, call.parameters, 'read');
    const { events, next = null } = await this.queries.execute(new ReadsOfPerson(id, from, limit));
    const reads = events.map(({ revision, metadata, data: { reader, day, shown_by } }) => {
      return { revision, reader, day, shown_by, time: isoTime(metadata.time) };
    });
    return { status: 'success', user_id: id, reads, next };
  }
}
