import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Clock, Keyring, PersonalData, Reader, Time, Writer } from '#eventsourcing';
import { type Call, JSON_TYPE, oneOfWords, optional, plainPageHeaders, read, StreamedAnswers } from '#http';
import { recordRead } from '../person/record-read.js';
import { htmlOf } from './export.html.js';
import { jsonOf } from './export.json.js';
import { type PartReader, PersonExport } from './person-export.js';

/** The parameters of an export. */
export const FORM = z.object({
  format: optional(oneOfWords<'json' | 'html'>(['json', 'html'])).describe(
    '`json` (the default), or `html`: a page for people.',
  ),
});

/** Sends what is held about a user, and notes in the log who gets it. */
export class ExportAnswers {
  readonly #export: PersonExport;
  readonly #answers: StreamedAnswers;

  constructor(
    private readonly writer: Writer,
    private readonly personalData: PersonalData,
    reader: Reader,
    keyring: Keyring,
    clock: Clock,
    time: Time,
  ) {
    this.#export = new PersonExport({ reader, writer, keyring, personalData, clock, time });
    this.#answers = new StreamedAnswers('what is held about persons', time);
  }

  /** @throws DomainError not_found; Unavailable if it cannot be noted who reads it */
  async send(call: Call, id: string, reply: FastifyReply): Promise<Readable> {
    const { format = 'json' } = read(FORM, call.parameters, 'export');
    const left = this.#answers.begin(reply);
    const head = await this.#export.head(id);
    // Before anything is sent: what cannot be noted is not shown.
    await recordRead({ writer: this.writer, personalData: this.personalData }, call, id, 'export');
    const entries: PartReader = (name) => this.#export.entries(name, id, left);
    if (format === 'json') void reply.type(JSON_TYPE);
    else for (const [name, value] of Object.entries(plainPageHeaders())) void reply.header(name, value);
    void reply.header('content-disposition', `attachment; filename="user-${id}.${format}"`);
    const pieces = format === 'json' ? jsonOf(head, entries) : htmlOf(head, entries);
    return Readable.from(this.#answers.whileTaken(pieces, reply));
  }
}
