import { z } from 'zod';
import { changeEntry, type KeyValueStore, PASSING } from '#eventsourcing';
import { parsedJson } from '#kernel';
import { type HotDealThen, HOT_DEAL } from './contract.js';
import { GAUGES, RATES, TIMED } from './series.js';
import type { Sample } from './sample.js';

/** How long each process keeps its samples: an hour by the second, and a day by the minute. */
export const SPANS = {
  hour: { step: 1, samples: 3_600, inAPart: 60 },
  day: { step: 60, samples: 1_440, inAPart: 60 },
} as const;
export type Span = keyof typeof SPANS;

/** Names of entries of metrics begin so. */
export const METRICS_ENTRIES = `${PASSING}metrics/`;
const PROCESSES = `${METRICS_ENTRIES}processes`;
/** Places for processes: those of a day, restarts included. */
const PLACES = 64;
/** Seconds after which a process that is gone is forgotten. */
const GONE_AFTER = 86_400;
/** Seconds without news after which a process counts as gone. */
export const SILENT_AFTER = 30;

const COUNT = z.number();
const SAMPLE = z.object({
  at: COUNT,
  rates: z.array(COUNT),
  gauges: z.array(COUNT.nullable()),
  timed: z.array(z.array(COUNT)),
  refusals: z.record(z.string(), COUNT),
});
const PROCESS = z.object({
  place: COUNT,
  id: z.string(),
  role: z.string(),
  started: COUNT,
  seen: COUNT,
  newest: SAMPLE.optional(),
  hottest: z.array(HOT_DEAL),
});
const KEPT = z.object({ of: z.literal(1), processes: z.array(PROCESS) });
/** A sample in a part: shorter than with names. */
const ROW = z.tuple([
  COUNT,
  z.array(COUNT),
  z.array(COUNT.nullable()),
  z.array(z.array(COUNT)),
  z.record(z.string(), COUNT),
]);
const STORED_PART = z.object({
  id: z.string(),
  rates: z.array(z.string()),
  gauges: z.array(z.string()),
  timed: z.array(z.string()),
  rows: z.array(ROW),
});

/** A process that writes metrics, or has written some in the last day. */
export interface KeptProcess {
  /** Its number among the places for processes. */
  readonly place: number;
  readonly id: string;
  readonly role: string;
  /** Seconds since 1970. */
  readonly started: number;
  readonly seen: number;
  readonly newest?: Sample | undefined;
  readonly hottest: readonly HotDealThen[];
}

/** The samples of one process for a minute, or for an hour by the minute, as the shared store has them. */
export interface Part {
  readonly id: string;
  readonly samples: readonly Sample[];
}

/** Metrics in the shared store. All of it together is bounded, whatever happens: it has a fixed number of entries. */
export class StoredMetrics {
  constructor(private readonly keyValues: KeyValueStore) {}

  async processes(): Promise<readonly KeptProcess[]> {
    return processesIn(await this.keyValues.get(PROCESSES));
  }

  /**
   * Writes down that a process is alive, and forgets those that have been gone for a day. A new process gets a place, at the worst
   * that of the process that was seen last the longest ago.
   * @returns all processes
   */
  async tell(me: Omit<KeptProcess, 'place'>): Promise<readonly KeptProcess[]> {
    const text = await changeEntry(this.keyValues, PROCESSES, (before) => {
      const others = processesIn(before).filter(({ id, seen }) => id !== me.id && seen > me.seen - GONE_AFTER);
      const known = processesIn(before).find(({ id }) => id === me.id);
      const kept = others.sort((a, b) => b.seen - a.seen).slice(0, PLACES - 1);
      const place = known?.place ?? freePlace(kept);
      return JSON.stringify({ of: 1, processes: [...kept.filter((each) => each.place !== place), { ...me, place }] });
    });
    return processesIn(text);
  }

  async part(place: number, span: Span, number: number): Promise<Part | undefined> {
    return partIn(await this.keyValues.get(entryOf(place, span, number)));
  }

  async write(place: number, span: Span, number: number, { id, samples }: Part): Promise<void> {
    const rows = samples.map(({ at, rates, gauges, timed, refusals }) => [at, rates, gauges, timed, refusals]);
    const text = JSON.stringify({ id, rates: RATES, gauges: GAUGES, timed: TIMED, rows });
    await changeEntry(this.keyValues, entryOf(place, span, number), () => text);
  }
}

/** The number of the part that a sample is in. */
export function partOf(span: Span, at: number): number {
  const { step, inAPart } = SPANS[span];
  return Math.floor(at / (step * inAPart));
}

/** The entries of a place are used again and again: one for each part of the span, and one for the part that begins. */
function entryOf(place: number, span: Span, number: number): string {
  const { samples, inAPart } = SPANS[span];
  return `${METRICS_ENTRIES}${place}/${span}/${number % (samples / inAPart + 1)}`;
}

function freePlace(kept: readonly KeptProcess[]): number {
  const taken = new Set(kept.map(({ place }) => place));
  for (let place = 0; ; place += 1) if (!taken.has(place)) return place;
}

/** Other builds may write other forms: what this one cannot read is as if it were not there. */
function processesIn(text: string | undefined): readonly KeptProcess[] {
  const read = KEPT.safeParse(text === undefined ? undefined : parsedJson(text));
  return read.success ? read.data.processes : [];
}

function partIn(text: string | undefined): Part | undefined {
  const read = STORED_PART.safeParse(text === undefined ? undefined : parsedJson(text));
  if (!read.success) return undefined;
  const { id, rows, ...names } = read.data;
  const samples = rows.map(([at, rates, gauges, timed, refusals]) => ({
    at,
    rates: RATES.map((name) => rates[names.rates.indexOf(name)] ?? 0),
    gauges: GAUGES.map((name) => gauges[names.gauges.indexOf(name)] ?? null),
    timed: TIMED.map((name) => timed[names.timed.indexOf(name)] ?? []),
    refusals,
  }));
  return { id, samples };
}
