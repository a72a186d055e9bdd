import type { Clock, Numbers, Shown } from '#eventsourcing';
import type { Instant, Position } from '#kernel';

/** What an answer showed, and when: `<number>@<instant>~<form>` (rulings G7, H6). */
export interface AsOf {
  /** The number of the last event that the answer has seen. */
  readonly number: number;
  readonly instant: Instant;
  /** The number of the form of answers: see `AnswerForm`. */
  readonly form: number;
}

/** The form of this process's answers. */
export class AnswerForm {
  /** Its number; undefined until the log is known to have it. */
  number: number | undefined;
}

/** Makes `Holdfast-As-Of`, with which an auditor gets an answer again. */
export class AsOfHeader {
  constructor(
    private readonly numbers: Pick<Numbers, 'at' | 'soonAt'>,
    private readonly clock: Clock,
    private readonly form: AnswerForm,
  ) {}

  /** The form of answers now. */
  get present(): number | undefined {
    return this.form.number;
  }

  /**
   * The header of an answer.
   * @param wrote the last position that the call wrote
   * @param begun the form when the call began: if it is another one now, the answer may have parts of both
   * @returns undefined if the answer shows nothing of the log, or the process does not know the number or the form yet
   */
  of(
    shown: Shown,
    wrote: Position | undefined,
    begun: number | undefined,
  ): string | undefined | Promise<string | undefined> {
    const place = shown.place(wrote);
    const form = this.form.number;
    if (place === undefined || form === undefined || form !== begun) return undefined;
    const { position, back } = place;
    const instant = shown.now ?? this.clock.now();
    const number = this.numbers.at(position);
    if (number !== undefined) return textOf({ number: number - back, instant, form });
    return this.numbers
      .soonAt(position)
      .then((known) => (known === undefined ? undefined : textOf({ number: known - back, instant, form })));
  }
}

/** The value of the header. */
export function textOf({ number, instant, form }: AsOf): string {
  return `${number}@${new Date(instant).toISOString()}~${form}`;
}
