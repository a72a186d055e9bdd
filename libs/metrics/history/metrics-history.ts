import { BoundedMap, type Time, type Timer } from '#eventsourcing';
import { type Instant, isoTime, SECOND } from '#kernel';
import type { HistoryAnswer, HotDealThen, MetricsProcess, MetricsSeries, NewestMetrics } from './contract.js';
import { Recent } from './recent.js';
import { type Sample, together, valueOf } from './sample.js';
import { REFUSALS_OF, REFUSALS_UNIT, SERIES, SERIES_NAMES, type SeriesName } from './series.js';
import { type KeptProcess, partOf, SILENT_AFTER, type Span, SPANS, type StoredMetrics } from './stored.js';

/** Seconds between two writes. */
const WRITES_EVERY = 10;
/** Parts of other processes that are remembered: they do not change any more. */
const PARTS = 500;
/** Codes of refusals that an answer shows, unless it was asked for others. */
const MOST_CODES = 10;

/** What a process measures each second. */
export interface Measured {
  /** What it did since the last call. It is called once a second. */
  sample(at: number): Sample;
  /** The deals that sell most in this process. */
  hottest(): readonly HotDealThen[];
}

export interface HistoryParts {
  readonly stored: StoredMetrics;
  readonly measured: Measured;
  readonly time: Time;
  /** A name of this process that no other one has. */
  readonly id: string;
  /** `all`, `api` or `worker`. */
  readonly role: string;
  /** Whether it may write: beside a log that is refused, everything stays as it is. */
  readonly mayWrite: () => boolean;
}

/** Which part of the history to read. */
export interface HistoryQuery {
  readonly span: Span;
  /** The names of series; all if absent. */
  readonly series?: readonly string[] | undefined;
  /** The id of the only process to look at; all if absent. */
  readonly process?: string | undefined;
}

/**
 * The last hour of each process by the second, and its last day by the minute. Each process keeps its own in memory and writes
 * them to the shared store, a small write every ten seconds; so they outlast it, and every process can read those of all. What
 * cannot be stored or read is missing, and hinders nobody.
 */
export class MetricsHistory {
  readonly #recent = new Recent();
  readonly #parts = new BoundedMap<string, readonly Sample[]>(PARTS);
  readonly #started: Instant;
  /** All processes, as of the last write; without this one before the first. */
  #others: readonly KeptProcess[] = [];
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #sinceWrite = 0;

  constructor(private readonly parts: HistoryParts) {
    this.#started = parts.time.wall();
  }

  /** Begins to measure, once a second. */
  start(): void {
    this.#timer ??= this.parts.time.every(SECOND, () => this.#tick()).unref();
  }

  /** The last second, of all processes that are alive. */
  newest(): NewestMetrics {
    const now = this.#now();
    const others = this.#others.filter(({ seen }) => seen > now - SILENT_AFTER);
    const mine = this.#recent.newest;
    const samples = [...(mine === undefined ? [] : [mine]), ...others.flatMap(({ newest }) => newest ?? [])];
    const names = [...SERIES_NAMES, ...codesIn(samples).map((code) => REFUSALS_OF + code)];
    return {
      at: isoTime((mine?.at ?? now) * SECOND),
      values: Object.fromEntries(names.map((name) => [name, valueOf(name, samples, 1)])),
      hottest_deals: hottestOf([this.parts.measured.hottest(), ...others.map(({ hottest }) => hottest)]),
      processes: samples.length,
    };
  }

  /** The processes that measure, or have in the last day: this one first. */
  async processes(): Promise<readonly MetricsProcess[]> {
    return this.#shown(await this.#lookAtOthers());
  }

  /** The history of a span up to now. What the store does not give now is missing. */
  async read({ span, series, process }: HistoryQuery): Promise<HistoryAnswer> {
    const { step, samples: count } = SPANS[span];
    const to = Math.floor(this.#now() / step) * step - step;
    const from = to - (count - 1) * step;
    const others = await this.#lookAtOthers();
    const wanted = (id: string): boolean => process === undefined || process === id;
    const of = new Map<string, readonly Sample[]>();
    if (wanted(this.parts.id)) of.set(this.parts.id, this.#recent.since(span, from));
    for (const other of others)
      if (wanted(other.id) && other.seen >= from) of.set(other.id, await this.#samplesOf(other, span, from, to));
    const table = new Table([...of], from, to, step);
    const names = series ?? [...SERIES_NAMES, ...table.codes.slice(0, MOST_CODES).map((code) => REFUSALS_OF + code)];
    return {
      status: 'success',
      span,
      step,
      from: isoTime(from * SECOND),
      to: isoTime(to * SECOND),
      processes: [...this.#shown(others)],
      series: Object.fromEntries(names.map((name) => [name, table.series(name)])),
      hottest_deals: [...this.newest().hottest_deals],
    };
  }

  /** Writes what is not written yet: the next process shows it. Nothing is measured any more. */
  async close(): Promise<void> {
    this.parts.time.cancel(this.#timer);
    const wasRunning = this.#timer !== undefined;
    this.#timer = undefined;
    await this.#writing;
    if (wasRunning) await this.#write();
  }

  #now(): number {
    return Math.floor(this.parts.time.wall() / SECOND);
  }

  #tick(): void {
    // A sample is of the second that has just ended.
    const at = this.#now() - 1;
    this.#recent.add(this.parts.measured.sample(at));
    this.#sinceWrite += 1;
    if (this.#sinceWrite < WRITES_EVERY || this.#writing !== undefined) return;
    this.#writing = this.#write().finally(() => (this.#writing = undefined));
  }

  async #write(): Promise<void> {
    const { stored, id, role, measured, mayWrite } = this.parts;
    this.#sinceWrite = 0;
    if (!mayWrite()) return;
    try {
      const all = await stored.tell({
        ...{ id, role, seen: this.#now(), newest: this.#recent.newest, hottest: measured.hottest() },
        started: Math.floor(this.#started / SECOND),
      });
      this.#others = all.filter((each) => each.id !== id);
      const place = all.find((each) => each.id === id)?.place;
      if (place === undefined) return;
      for (const { span, number, samples } of this.#recent.changed()) {
        await stored.write(place, span, number, { id, samples });
        this.#recent.written(span, number, samples);
      }
    } catch {
      // The store is away: the samples stay in memory for an hour or a day, and are written when it is back.
    }
  }

  /** The processes that the store knows; those that were known before if it does not answer. */
  async #lookAtOthers(): Promise<readonly KeptProcess[]> {
    try {
      const all = await this.parts.stored.processes();
      this.#others = all.filter(({ id }) => id !== this.parts.id);
    } catch {
      // As of the last time.
    }
    return this.#others;
  }

  async #samplesOf(other: KeptProcess, span: Span, from: number, to: number): Promise<readonly Sample[]> {
    const { step } = SPANS[span];
    const first = partOf(span, Math.max(from, other.started));
    const last = partOf(span, Math.min(to, other.seen + step));
    const parts: Promise<readonly Sample[]>[] = [];
    for (let number = first; number <= last; number += 1) parts.push(this.#part(other, span, number));
    return (await Promise.all(parts)).flat().filter(({ at }) => at >= from && at <= to);
  }

  async #part({ place, id, seen }: KeptProcess, span: Span, number: number): Promise<readonly Sample[]> {
    const name = `${id} ${span} ${number}`;
    const known = this.#parts.get(name);
    if (known !== undefined) return known;
    const part = await this.parts.stored.part(place, span, number).catch(() => undefined);
    const samples = part?.id === id ? part.samples.filter(({ at }) => partOf(span, at) === number) : [];
    // A part that is over stays as it is: its process has written after its end, or is gone.
    const isOver = partOf(span, seen - WRITES_EVERY) > number || seen < this.#now() - SILENT_AFTER;
    if (part !== undefined && isOver) this.#parts.set(name, samples);
    return samples;
  }

  #shown(others: readonly KeptProcess[]): readonly MetricsProcess[] {
    const now = this.#now();
    const { id, role } = this.parts;
    const me = { id, role, started: Math.floor(this.#started / SECOND), seen: now };
    return [...(this.#timer === undefined ? [] : [me]), ...others].map((each) => ({
      id: each.id,
      role: each.role,
      started_at: isoTime(each.started * SECOND),
      last_seen: isoTime(each.seen * SECOND),
      live: each.seen > now - SILENT_AFTER,
    }));
  }
}

/** Samples of several processes, by their time. */
class Table {
  readonly #of: ReadonlyMap<string, readonly (Sample | undefined)[]>;
  readonly #length: number;

  constructor(
    of: readonly (readonly [id: string, samples: readonly Sample[]])[],
    from: number,
    to: number,
    private readonly step: number,
  ) {
    this.#length = (to - from) / step + 1;
    this.#of = new Map(
      of.map(([id, samples]) => {
        const row = Array.from<Sample | undefined>({ length: this.#length });
        for (const sample of samples) {
          const at = (sample.at - from) / step;
          if (at >= 0 && at < this.#length) row[at] = sample;
        }
        return [id, row] as const;
      }),
    );
  }

  /** The codes of refusals, the most frequent ones first. */
  get codes(): readonly string[] {
    return codesIn([...this.#of.values()].flatMap((row) => row.flatMap((sample) => sample ?? [])));
  }

  series(name: string): MetricsSeries {
    const rows = [...this.#of.values()];
    const ofAll = (at: number): readonly Sample[] => rows.flatMap((row) => row[at] ?? []);
    return {
      unit: name.startsWith(REFUSALS_OF) ? REFUSALS_UNIT : SERIES[name as SeriesName].unit,
      sum: Array.from({ length: this.#length }, (_, at) => valueOf(name, ofAll(at), this.step)),
      by_process: Object.fromEntries(
        [...this.#of].map(([id, row]) => [
          id,
          row.map((sample) => valueOf(name, sample === undefined ? [] : [sample], this.step)),
        ]),
      ),
    };
  }
}

function codesIn(samples: readonly Sample[]): readonly string[] {
  const all = together(0, samples)?.refusals ?? {};
  return Object.keys(all);
}

/** The hottest deals of several processes, which all sell the same ones. */
function hottestOf(lists: readonly (readonly HotDealThen[])[]): readonly HotDealThen[] {
  const deals = new Map<string, HotDealThen>();
  for (const deal of lists.flat()) {
    const { slug, units_left, sold_per_second } = deal;
    const before = deals.get(slug);
    const rate = Math.round(((before?.sold_per_second ?? 0) + sold_per_second) * 100) / 100;
    const left =
      before === undefined || units_left === null ? units_left : Math.min(before.units_left ?? units_left, units_left);
    deals.set(slug, { slug, units_left: left, sold_per_second: rate });
  }
  return [...deals.values()].sort((a, b) => b.sold_per_second - a.sold_per_second).slice(0, MOST_HOT);
}

/** Deals that are shown. */
const MOST_HOT = 20;
