import { Controller, Get, Param } from '@nestjs/common';
import { z } from 'zod';
import { eq, NEWEST_FIRST, PersonalData, Reader, Writer } from '#eventsourcing';
import { wantsBatchMails } from '#engagement';
import { AllowFor, type AnswerOf, type Call, Describe, integer, optional, read, TheCall } from '#http';
import { isoTime, notFound, streamName } from '#kernel';
import { openProfile, type Address } from '#people';
import { addressesView, cardsView, user, type AddressRow } from '#people/model';
import { PERSON, PERSON_READS, type ShownAddress } from './person.answer.js';
import { personReads } from './person-reads.decider.js';
import type { PersonReadsEvent } from './person-reads.events.js';
import { recordRead } from './record-read.js';

const PART = z.object({
  from: optional(integer('count')).describe('The revision of the first; 0 if absent.'),
  limit: optional(integer('perPage')).describe('100 if absent.'),
});
/** Cards and addresses that a page shows; a user has no more cards. */
const MOST = 1_000;

/** Persons, for operators and auditors. Whoever sees one is noted in the log (ruling G7). */
@AllowFor('auditor')
@Controller()
export class PersonController {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly personalData: PersonalData,
  ) {}

  @Describe({
    summary:
      'Shows a user with their personal data, cards and addresses. The log notes who has seen it, once a day; if it cannot, nothing is shown.',
    answer: PERSON,
  })
  @Get('operators/users/:id')
  async show(@TheCall() call: Call, @Param('id') id: string): Promise<AnswerOf<typeof PERSON>> {
    const row = await this.writer.readNow(user, id);
    if (row === null) throw notFound('no user has this id');
    await recordRead({ writer: this.writer, personalData: this.personalData }, call, id, 'page');
    const profile = await openProfile(this.personalData, row);
    await this.reader.until([cardsView, addressesView], await this.reader.end());
    const asked = { where: eq('user_id' as const, id), sort: NEWEST_FIRST, page: 1, perPage: MOST };
    const cards = await this.reader.of(cardsView).find(asked);
    const addresses = await this.reader.of(addressesView).find(asked);
    return {
      status: 'success',
      partner_id: row.partner_id,
      user: {
        id,
        email: profile?.email ?? null,
        first_name: profile?.first_name ?? null,
        last_name: profile?.last_name ?? null,
        birthday: profile?.birthday ?? null,
        postal_code: profile?.postal_code ?? null,
        source: profile?.source ?? null,
        token: profile?.token ?? null,
        credits: profile?.credits ?? null,
        partner_data: profile?.partner_data ?? null,
        deleted: row.deleted,
        created_at: isoTime(row.created_at),
        wants_batch_mails: await wantsBatchMails(this.writer, id),
      },
      credit_cards: cards.map(({ row: { card_id, last4, brand, primary, deleted } }) => ({
        id: card_id,
        last4,
        type: brand,
        primary,
        deleted,
      })),
      shipping_addresses: await Promise.all(addresses.map(({ row: address }) => this.#address(address))),
    };
  }

  @Describe({
    summary: 'Lists who has read the personal data of a user, and when.',
    parameters: PART,
    answer: PERSON_READS,
  })
  @Get('auditors/users/:id/reads')
  async reads(@TheCall() call: Call, @Param('id') id: string): Promise<AnswerOf<typeof PERSON_READS>> {
    const { from = 0, limit = 100 } = read(PART, call.parameters, 'read');
    if ((await this.writer.readNow(user, id)) === null) throw notFound('no user has this id');
    const stream = streamName(personReads.category, id);
    // One more shows whether there is more.
    const found = await this.writer.events(stream, { from, most: limit + 1 });
    const reads = found.slice(0, limit).map((event) => {
      const { revision, metadata } = event;
      const { reader, day, shown_by } = (event as typeof event & PersonReadsEvent).data;
      return { revision, reader, day, shown_by, time: isoTime(metadata.time) };
    });
    return { status: 'success', user_id: id, reads, next: found.length > limit ? from + limit : null };
  }

  async #address({ address_id, user_id, address, removed }: AddressRow): Promise<ShownAddress> {
    const opened = await this.personalData.open<Address>(user_id, address);
    return { id: address_id, ...(opened ?? NOTHING), removed };
  }
}

const NOTHING = {
  name: null,
  address_one: null,
  address_two: null,
  postal_code: null,
  city: null,
  state: null,
  country: null,
};
