import { addedCounts, quantileOf, type SparseCounts } from '#kernel';
import { GAUGES, RATES, REFUSALS_OF, SERIES, type SeriesName, TIMED } from './series.js';

/** What one process did in one second or minute, and saw at its end. */
export interface Sample {
  /** The second or minute, by the machine’s clock: seconds since 1970 at its beginning. */
  readonly at: number;
  /** How many of each of `RATES`, in the whole time. */
  readonly rates: readonly number[];
  /** Of each of `GAUGES`; null if it is unknown. */
  readonly gauges: readonly (number | null)[];
  /** How long each of `TIMED` took. */
  readonly timed: readonly SparseCounts[];
  /** Refusals by code. */
  readonly refusals: Readonly<Record<string, number>>;
}

/** Codes of refusals that a minute keeps: those that came most often. */
const MOST_CODES = 20;

/** The samples of some seconds as one of the minute that they are in; undefined if there are none. */
export function together(at: number, samples: readonly Sample[]): Sample | undefined {
  if (samples.length === 0) return undefined;
  const refusals: Record<string, number> = {};
  for (const each of samples)
    for (const [code, count] of Object.entries(each.refusals)) refusals[code] = (refusals[code] ?? 0) + count;
  const most = Object.entries(refusals).sort(([, a], [, b]) => b - a);
  return {
    at,
    rates: RATES.map((_, nth) => samples.reduce((sum, { rates }) => sum + (rates[nth] ?? 0), 0)),
    gauges: GAUGES.map((_, nth) => largest(samples.map(({ gauges }) => gauges[nth]))),
    timed: TIMED.map((_, nth) => addedCounts(samples.map(({ timed }) => timed[nth] ?? []))),
    refusals: Object.fromEntries(most.slice(0, MOST_CODES)),
  };
}

/**
 * The value of a series in the samples of one moment, one per process; null if none of them knows it.
 * @param step the seconds of a sample
 */
export function valueOf(name: string, samples: readonly Sample[], step: number): number | null {
  if (samples.length === 0) return null;
  if (name.startsWith(REFUSALS_OF)) {
    const code = name.slice(REFUSALS_OF.length);
    return perSecond(
      samples.reduce((sum, { refusals }) => sum + (refusals[code] ?? 0), 0),
      step,
    );
  }
  const series = SERIES[name as SeriesName];
  switch (series.of) {
    case 'rate': {
      const nth = RATES.indexOf(series.rate);
      return perSecond(
        samples.reduce((sum, { rates }) => sum + (rates[nth] ?? 0), 0),
        step,
      );
    }
    case 'shared':
      return largest(samples.map(({ gauges }) => gauges[GAUGES.indexOf(series.gauge)]));
    case 'duration': {
      const nth = TIMED.indexOf(series.durations);
      return quantileOf(addedCounts(samples.map(({ timed }) => timed[nth] ?? [])), series.part);
    }
  }
}

function perSecond(count: number, step: number): number {
  return step === 1 ? count : Math.round((count / step) * 1_000) / 1_000;
}

function largest(values: readonly (number | null | undefined)[]): number | null {
  return values.reduce<number | null>(
    (most, each) => (typeof each === 'number' && (most === null || each > most) ? each : most),
    null,
  );
}
