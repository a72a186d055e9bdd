import { Controller, Get, Param } from '@nestjs/common';
import { eq, NEWEST_FIRST, PersonalData, Reader, Writer } from '#eventsourcing';
import { wantsBatchMails } from '#engagement';
import { AllowFor, type AnswerOf, type Call, Describe, TheCall } from '#http';
import { isoTime, notFound } from '#kernel';
import { openProfile } from '#people';
import { addressesView, cardsView, user } from '#people/model';
import { PERSON } from './person.answer.js';
import { presentAnyAddress, presentPerson } from './person.present.js';
import { recordRead } from './record-read.js';

/** Cards and addresses that a page shows; a user has no more cards. */
const MOST = 1_000;

/** Persons, for operators and auditors. Whoever sees one is noted in the log (ruling G7). */
@AllowFor('auditor')
@Controller('operators')
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
  @Get('users/:id')
  async show(@TheCall() call: Call, @Param('id') id: string): Promise<AnswerOf<typeof PERSON>> {
    const row = await this.writer.readNow(user, id);
    if (row === null) throw notFound('no user has this id');
    if (row.erased !== null) throw notFound(`the user was erased at ${isoTime(row.erased.at)}: ${row.erased.reason}`);
    await recordRead({ writer: this.writer, personalData: this.personalData }, call, id, 'page');
    const profile = await openProfile(this.personalData, row);
    await this.reader.until([cardsView, addressesView], await this.reader.end());
    const asked = { where: eq('user_id' as const, id), sort: NEWEST_FIRST, page: 1, perPage: MOST };
    const cards = await this.reader.of(cardsView).find(asked);
    const addresses = await this.reader.of(addressesView).find(asked);
    return {
      status: 'success',
      partner_id: row.partner_id,
      user: presentPerson(row, profile, await wantsBatchMails(this.writer, id)),
      credit_cards: cards.map(({ row: { card_id, last4, brand, primary, deleted } }) => ({
        id: card_id,
        last4,
        type: brand,
        primary,
        deleted,
      })),
      shipping_addresses: await Promise.all(
        addresses.map(({ row: address }) => presentAnyAddress(this.personalData, address)),
      ),
    };
  }
}
