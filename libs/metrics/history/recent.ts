import { type Sample, together } from './sample.js';
import { partOf, type Span, SPANS } from './stored.js';

/** The samples of one span, in order. */
interface Kept {
  samples: Sample[];
  /** The parts with samples that are not stored, by their numbers. */
  readonly changed: Set<number>;
}

/** What this process has measured: its last hour by the second, its last day by the minute, and what of it is not stored yet. */
export class Recent {
  readonly #kept: Readonly<Record<Span, Kept>> = {
    hour: { samples: [], changed: new Set() },
    day: { samples: [], changed: new Set() },
  };

  get newest(): Sample | undefined {
    return this.#kept.hour.samples.at(-1);
  }

  /**
   * Adds the sample of a second. The first one of a minute ends the minute before. If the machine’s clock was set back, the
   * samples of what is then the future are forgotten.
   */
  add(sample: Sample): void {
    const last = this.newest;
    if (last !== undefined && sample.at < last.at) this.#forgetFrom(sample.at);
    if (last?.at === sample.at) return;
    if (last !== undefined && minuteOf(sample.at) > minuteOf(last.at)) this.#endMinute(minuteOf(last.at));
    this.#put('hour', sample);
  }

  /** The samples of a span from a time on; by the minute, without the present one. */
  since(span: Span, from: number): readonly Sample[] {
    return this.#kept[span].samples.filter(({ at }) => at >= from);
  }

  /** The parts that are not stored yet, or not as a whole. */
  changed(): readonly { readonly span: Span; readonly number: number; readonly samples: readonly Sample[] }[] {
    return (['hour', 'day'] as const).flatMap((span) =>
      [...this.#kept[span].changed].map((number) => ({
        span,
        number,
        samples: this.#kept[span].samples.filter(({ at }) => partOf(span, at) === number),
      })),
    );
  }

  /** Notes that a part was stored with these samples. */
  written(span: Span, number: number, samples: readonly Sample[]): void {
    const last = this.#kept[span].samples.findLast(({ at }) => partOf(span, at) === number);
    if (last === samples.at(-1)) this.#kept[span].changed.delete(number);
  }

  #endMinute(minute: number): void {
    const sample = together(
      minute,
      this.#kept.hour.samples.slice(-SPANS.hour.inAPart).filter(({ at }) => minuteOf(at) === minute),
    );
    if (sample !== undefined) this.#put('day', sample);
  }

  #put(span: Span, sample: Sample): void {
    const kept = this.#kept[span];
    kept.samples.push(sample);
    kept.changed.add(partOf(span, sample.at));
    const { step, samples: most } = SPANS[span];
    const oldest = sample.at - most * step;
    // A minute’s worth at a time: moving all of them each second would cost more.
    if ((kept.samples[0]?.at ?? 0) < oldest - SPANS.hour.inAPart * step) {
      kept.samples = kept.samples.filter(({ at }) => at >= oldest);
      for (const number of kept.changed) if (number < partOf(span, oldest)) kept.changed.delete(number);
    }
  }

  #forgetFrom(from: number): void {
    for (const kept of Object.values(this.#kept)) kept.samples = kept.samples.filter(({ at }) => at < from);
  }
}

const minuteOf = (at: number): number => at - (at % SPANS.day.step);
