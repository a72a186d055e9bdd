import type { Readable } from 'node:stream';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Writer } from '#eventsourcing';
import { AllowFor, type Call, Describe, DescribeUnder, NoTokens, partnerOf, TheCall } from '#http';
import { notFound } from '#kernel';
import { user } from '#people/model';
import { EXPORT } from './export.answer.js';
import { ExportAnswers, FORM } from './export-answers.js';

const DESCRIBED = {
  summary:
    'Exports everything that is held about a user, as one file: what was known of them and since when, addresses, cards, purchases, coupons, links, subscriptions, mails, tokens, and who has seen it. The log notes that it was read.',
  parameters: FORM,
  answer: [EXPORT, 'text/html'],
} as const;

/** Exports of what is held about anybody (ruling G12). */
@AllowFor('auditor')
@Controller('operators')
export class ExportController {
  constructor(private readonly answers: ExportAnswers) {}

  @Describe(DESCRIBED)
  @Get('users/:id/export')
  export(
    @TheCall() call: Call,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    return this.answers.send(call, id, reply);
  }
}

/** Exports of what is held about a partner's own users (ruling G12). */
@AllowFor('partner')
@DescribeUnder('Users')
@Controller()
export class OwnExportController {
  constructor(
    private readonly answers: ExportAnswers,
    private readonly writer: Writer,
  ) {}

  @NoTokens('user')
  @Describe(DESCRIBED)
  @Get('users/:user_id/export')
  async export(
    @TheCall() call: Call,
    @Param('user_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    // Hidden ones, too: what is held about them is still held.
    const known = await this.writer.read(user, id);
    if (known?.partner_id !== partnerOf(call).id) throw notFound('you have no user with this id');
    return this.answers.send(call, id, reply);
  }
}
