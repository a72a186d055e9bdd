import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock, Numbers, Past, Writer } from '#eventsourcing';
import { DomainError, SECOND, streamName, type EventBody, type Instant, type Position, type Recorded } from '#kernel';
import { answerForms, SERVICE_FORMS, type AnswerFormEvent, type AnswerFormUsed } from '#operations/model';

/** How far the clock of the process that answered then may be ahead of this one's. */
const CLOCKS_DIFFER = 20 * SECOND;

/** A place in the log and a time; all of it is absent for now. */
export interface AskedPlace {
  /** Of an event: its number among ours; absent for all events up to the instant. */
  readonly number?: number | undefined;
  readonly instant?: Instant | undefined;
  /** The number of a form of answers; absent for the last one that was used then. */
  readonly form?: number | undefined;
}

/** The log as it was at a place. */
export interface Then {
  readonly past: Past;
  /** How answers were made; undefined before the first form was noted. */
  readonly form: AnswerFormUsed | undefined;
}

/** The log as it was, and how answers were made then (ruling G7.2). */
export class FindThen extends Query<Then> {
  constructor(readonly place: AskedPlace) {
    super();
  }
}

@QueryHandler(FindThen)
export class FindThenHandler implements IQueryHandler<FindThen> {
  constructor(
    private readonly writer: Writer,
    @Inject(Numbers) private readonly numbers: Numbers,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** @throws DomainError as_of_unknown for a time to come, and for a number or a form that the log does not have */
  async execute({ place: { number, instant, form } }: FindThen): Promise<Then> {
    const now = this.clock.now();
    if (instant !== undefined && instant > now + CLOCKS_DIFFER) throw unknown('must not be in the future');
    const past = new Past(this.writer, { position: await this.#position(number), instant: instant ?? now });
    return { past, form: await this.#form(past, form) };
  }

  async #position(number: number | undefined): Promise<Position | undefined> {
    if (number === undefined) return undefined;
    const position = await this.numbers.positionOf(number);
    if (position === undefined) throw unknown(`has a number that the log has not come to: ${number}`);
    return position;
  }

  async #form(past: Past, number: number | undefined): Promise<AnswerFormUsed | undefined> {
    const stream = streamName(answerForms.category, SERVICE_FORMS);
    if (number === undefined) {
      const last = await past.last(stream);
      return last && formIn(last);
    }
    // The first event of the stream has the form 1.
    const [event] = number === 0 ? [] : await this.writer.events(stream, { from: number - 1, most: 1 });
    if (event === undefined) throw unknown(`has a form that answers have never had: ${number}`);
    return formIn(event);
  }
}

function formIn(event: Recorded): AnswerFormUsed {
  return (event as EventBody as AnswerFormEvent).data;
}

function unknown(message: string): DomainError {
  return new DomainError('as_of_unknown', message);
}
