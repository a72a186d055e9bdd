import { Readable } from 'node:stream';
import { Controller, Get, Inject, Res, type Type } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply } from 'fastify';
import { Clock, Keyring, PersonalData, Reader, Time } from '#eventsourcing';
import { AllowFor, type Call, CSV, Describe, NDJSON, read, StreamedAnswers, TheCall } from '#http';
import { nameOf } from './list.place.js';
import type { LookUpList } from './list.js';
import { pageOf, parametersOf } from './list.schema.js';
import { type Asked, Listing, type Page } from './listing.js';

/** Milliseconds without an item after which a line says how many were looked at. */
const TELL_EVERY = 1_000;

/** The controller of one list: a page as JSON, or everything in lines or as CSV. */
export function listController(list: LookUpList): Type {
  const parameters = parametersOf(list);

  @AllowFor('auditor')
  @Controller('operators')
  class ListController {
    readonly #listing: Listing;
    readonly #answers: StreamedAnswers;

    constructor(
      reader: Reader,
      keyring: Keyring,
      personalData: PersonalData,
      @Inject(Clock) clock: Clock,
      @Inject(Time) private readonly time: Time,
    ) {
      this.#listing = new Listing({ reader, keyring, personalData, clock, time });
      this.#answers = new StreamedAnswers(`all ${list.lists}`, time);
    }

    @Describe({
      summary: `Lists ${list.lists} of all partners, ${list.order}.`,
      parameters,
      answer: [pageOf(list), NDJSON, CSV],
    })
    @Get(list.name)
    async list(@TheCall() call: Call, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
      const asked = read(parameters, call.parameters, list.name) as Asked;
      const { format = 'json', limit = 100 } = asked;
      if (format === 'json') {
        await this.#listing.begin(list, asked);
        const { items, examined, next } = await this.#listing.page(list, asked, limit);
        return { status: 'success', [list.name]: items, examined, next: next === undefined ? null : nameOf(next) };
      }
      const left = this.#answers.begin(reply);
      await this.#listing.begin(list, asked);
      const pages = this.#listing.pages(list, asked, left);
      void reply.type(format === 'csv' ? `${CSV}; charset=utf-8` : NDJSON);
      const pieces = format === 'csv' ? csvOf(list, pages) : linesOf(pages, left, this.time);
      return Readable.from(this.#answers.whileTaken(pieces, reply));
    }
  }
  Object.defineProperty(ListController, 'name', { value: `ListController of ${list.name}` });
  return ListController;
}

const line = (of: object): string => `${JSON.stringify(of)}\n`;

async function* linesOf(pages: AsyncIterable<Page>, left: AbortSignal, time: Time): AsyncGenerator<string> {
  let [found, examined, told] = [0, 0, time.monotonic()];
  for await (const page of pages) {
    found += page.items.length;
    examined += page.examined;
    let piece = page.items.map(line).join('');
    if (piece === '' && time.monotonic() - told >= TELL_EVERY) piece = line({ progress: { found, examined } });
    if (piece === '') continue;
    told = time.monotonic();
    yield piece;
  }
  if (!left.aborted) yield line({ end: { found, examined } });
}

/** With the names of the columns; what a spreadsheet would run as a formula is text. */
async function* csvOf({ item }: LookUpList, pages: AsyncIterable<Page>): AsyncGenerator<string> {
  const columns = Object.keys(item.shape);
  yield stringify([columns]);
  for await (const { items } of pages) {
    if (items.length > 0) yield stringify([...items], { columns, escape_formulas: true, cast: { boolean: String } });
  }
}
