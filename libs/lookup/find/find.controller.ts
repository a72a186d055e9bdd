import { Controller, Get, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Clock, Keyring, PersonalData, Reader, WholeLog, Writer } from '#eventsourcing';
import {
  AllowFor,
  type AnswerOf,
  type Call,
  Describe,
  integer,
  optional,
  PostCall,
  PublicUrl,
  read,
  text,
  TheCall,
  ValidationFailed,
} from '#http';
import { partnersView } from '#partners/model';
import { LISTS } from '../lists/index.js';
import { recordRead } from '../person/record-read.js';
import { FOUND } from './find.answer.js';
import { Finder, type FoundThing } from './finder.js';
import { heldOf } from './held.js';

const FIND = z.object({
  q: text('scanned').describe(
    'An id of anything, an e-mail address, the last four digits of a card, a barcode, a redemption code, a reseller’s reference, the address in a QR code, a slug, the name of a stream, or an event such as `deal-tram-28@2`.',
  ),
  limit: optional(integer('perPage')).describe('How many; 20 if absent.'),
});
const FIND_ID = z.object({ q: text('line').describe('An id or slug of anything, or the name of a stream.') });

const REFUSED = {
  cardNumber:
    'must not be a whole card number: send its last four digits. The lists find a reference or a code that looks like one',
  email:
    'must not be an e-mail address here, where it would stand in logs: send it in the body of POST /operators/find',
};

/** The search for whatever somebody holds in their hand. */
@AllowFor('auditor')
@Controller('operators')
export class FindController {
  readonly #finder: Finder;

  constructor(
    private readonly reader: Reader,
    private readonly writer: Writer,
    log: WholeLog,
    keyring: Keyring,
    private readonly personalData: PersonalData,
    @Inject(Clock) clock: Clock,
    publicUrl: PublicUrl,
  ) {
    const { categories } = log;
    this.#finder = new Finder({ reader, writer, keyring, personalData, clock, publicUrl, categories });
  }

  @Describe({
    summary:
      'Finds what an id, e-mail address, last four digits, barcode, code, reference, QR address, slug, stream or event names, best first. That a user was found by their address is noted in the log.',
    parameters: FIND,
    answer: FOUND,
    example: { q: '486503955122' },
  })
  @PostCall('find')
  async find(@TheCall() call: Call): Promise<AnswerOf<typeof FOUND>> {
    const { q, limit = 20 } = read(FIND, call.parameters, 'find');
    if (heldOf(q).isCardNumber) throw refused(REFUSED.cardNumber);
    await this.#begin();
    const { writer, personalData } = this;
    const found = await this.#finder.find(q, limit, (userId) =>
      recordRead({ writer, personalData }, call, userId, 'find'),
    );
    return answerOf(found, limit);
  }

  @Describe({ summary: 'Finds what has an id or slug, or the stream with a name.', parameters: FIND_ID, answer: FOUND })
  @Get('find')
  async findId(@TheCall() call: Call): Promise<AnswerOf<typeof FOUND>> {
    const { q } = read(FIND_ID, call.parameters, 'find');
    const { isCardNumber, email } = heldOf(q);
    if (isCardNumber) throw refused(REFUSED.cardNumber);
    if (email !== undefined) throw refused(REFUSED.email);
    await this.#begin();
    return answerOf(await this.#finder.named(q), 20);
  }

  /** Whoever asks has no position to send: everything that the log has can be found. */
  async #begin(): Promise<void> {
    await this.reader.until([partnersView, ...LISTS.map(({ view }) => view)], await this.reader.end());
  }
}

const answerOf = (found: readonly FoundThing[], limit: number): AnswerOf<typeof FOUND> => ({
  status: 'success',
  found: found.slice(0, limit).map((each) => ({ ...each, item: { ...each.item } })),
});

const refused = (message: string): ValidationFailed =>
  new ValidationFailed([{ type: 'invalid', message, field: 'q', resource: 'find' }]);
