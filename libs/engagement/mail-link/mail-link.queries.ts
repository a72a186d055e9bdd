import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Regions } from '#catalogue';
import { Writer } from '#eventsourcing';
import { user } from '#people/model';
import { wantsBatchMails } from '../mail-preference/wants-batch-mails.js';
import { subscription } from '../subscription/subscription.decider.js';
import { asOfNow, isFor } from '../subscription/confirmed-address.js';
import type { MailLink } from './mail-link.js';

/** What a link is about. */
export interface LinkedMails {
  /** The region of the mails by name; null for batch mails, which have none. */
  readonly region: string | null;
  /** Whether the user still gets these mails, or will once they confirm. */
  readonly isWanted: boolean;
  /** Whether a confirmation's link has done what it is for; false for other links. */
  readonly isConfirmed: boolean;
  /** Whether the link confirms nothing any more: the user has another address than the one that it was mailed to. */
  readonly isOutdated: boolean;
}

/** Finds what a link is about, as the log has it now; undefined if the log has no such thing. */
export class FindLinkedMails extends Query<LinkedMails | undefined> {
  constructor(readonly link: MailLink) {
    super();
  }
}

@QueryHandler(FindLinkedMails)
export class FindLinkedMailsHandler implements IQueryHandler<FindLinkedMails> {
  constructor(
    private readonly writer: Writer,
    private readonly regions: Regions,
  ) {}

  async execute({ link: { kind, id, address } }: FindLinkedMails): Promise<LinkedMails | undefined> {
    const { writer } = this;
    if (kind === 'end-of-batch-mails') {
      if ((await writer.read(user, id)) === null) return undefined;
      const isWanted = await wantsBatchMails(this.writer, id);
      return { region: null, isWanted, isConfirmed: false, isOutdated: false };
    }
    const row = await writer.readNow(subscription, id);
    if (row === null) return undefined;
    const region = (await this.regions.find(row.region_id))?.name ?? row.region_id;
    const isWanted = row.status === 'active';
    const reader = kind === 'confirmation' ? await writer.readNow(user, row.user_id) : null;
    if (reader === null) return { region, isWanted, isConfirmed: false, isOutdated: false };
    return { region, isWanted, isConfirmed: asOfNow(row, reader).confirmed, isOutdated: !isFor(address, reader) };
  }
}
