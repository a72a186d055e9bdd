import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Writer } from '#eventsourcing';
import { notFound, streamName, type Recorded } from '#kernel';
import { personReads, type PersonReadsEvent } from '#lookup/model';
import { user } from '#people/model';
import { partOfStream } from '../log/part-of-stream.js';

/** A part of the reads of a person. */
export interface PartOfReads {
  readonly events: readonly Recorded<PersonReadsEvent>[];
  /** The revision where the next part begins; undefined if there are no more now. */
  readonly next: number | undefined;
}

/** Who has read the personal data of a user, from a revision on. */
export class ReadsOfPerson extends Query<PartOfReads> {
  constructor(
    readonly userId: string,
    readonly from: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ReadsOfPerson)
export class ReadsOfPersonHandler implements IQueryHandler<ReadsOfPerson> {
  constructor(private readonly writer: Writer) {}

  async execute({ userId, from, limit }: ReadsOfPerson): Promise<PartOfReads> {
    const { writer } = this;
    if ((await writer.readNow(user, userId)) === null) throw notFound('no user has this id');
    const part = await partOfStream(writer, streamName(personReads.category, userId), from, limit);
    return { ...part, events: part.events as readonly Recorded<PersonReadsEvent>[] };
  }
}
