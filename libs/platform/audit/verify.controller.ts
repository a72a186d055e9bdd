import { Readable } from 'node:stream';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Time } from '#eventsourcing';
import { AllowFor, type AnswerOf, Describe, NDJSON, StreamedAnswers } from '#http';
import { Verification, type VerificationLine } from './verification.js';
import type { LINE_OF_VERIFICATION } from './verify.answer.js';

/** Checks the whole log at once, for auditors (ruling G7.10). */
@AllowFor('auditor')
@Controller('auditors')
export class VerifyController {
  readonly #answers: StreamedAnswers;

  constructor(
    @Inject(Time) time: Time,
    private readonly verification: Verification,
  ) {
    this.#answers = new StreamedAnswers('what a verification finds', time);
  }

  @Describe({
    summary:
      'Checks the whole log, and what was built from it, up to its end at the time of the call. A line has a finding, or `progress`; the last one has `end`: without it the answer broke off. It uses the processors of this process for minutes.',
    answer: NDJSON,
  })
  @Get('verification')
  async verify(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readable> {
    const left = this.#answers.begin(reply);
    const lines = this.verification.run(left);
    // Whether another one runs shows before the answer begins.
    const first = await lines.next();
    void reply.type(NDJSON);
    return Readable.from(this.#answers.whileTaken(textOf(first, lines), reply));
  }
}

async function* textOf(
  first: IteratorResult<VerificationLine, void>,
  others: AsyncGenerator<VerificationLine, void, void>,
): AsyncGenerator<string> {
  try {
    if (first.done !== true) yield line(first.value);
    for await (const each of others) yield line(each);
  } finally {
    await others.return();
  }
}

const line = (of: AnswerOf<typeof LINE_OF_VERIFICATION>): string => `${JSON.stringify(of)}\n`;
