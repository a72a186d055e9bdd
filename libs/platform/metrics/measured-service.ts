import type { CommandLoop, EventLoopDelay, Projections } from '#eventsourcing';
import { Durations, SECOND } from '#kernel';
import type { HotDealThen, Measured, Rate, Gauge, Sample } from '#metrics';
import { GAUGES, RATES } from '#metrics';
import type { Figures } from './figures.js';
import type { SharedLooks } from './shared-looks.js';

/** Where the values of a process come from. */
export interface MeasuredParts {
  readonly figures: Figures;
  readonly loop: Pick<CommandLoop, 'stats'>;
  readonly projections: Pick<Projections, 'report'>;
  readonly looks: SharedLooks;
  /** undefined where nobody measures it. */
  readonly eventLoop: () => EventLoopDelay | undefined;
}

/** What this process measures each second, for its history. */
export class MeasuredService implements Measured {
  #before: readonly number[];
  /** The longest delay of each of the last seconds. */
  #delays: readonly number[] = [];
  #refusals: ReadonlyMap<string, number> = new Map();
  readonly #requests = Durations.none();
  readonly #gateway = Durations.none();

  constructor(private readonly parts: MeasuredParts) {
    this.#before = this.#counts();
  }

  sample(at: number): Sample {
    const { figures } = this.parts;
    figures.sales.hottest.tick();
    const counts = this.#counts();
    const rates = counts.map((count, nth) => count - (this.#before[nth] ?? 0));
    this.#before = counts;
    const refusals: Record<string, number> = {};
    for (const [code, count] of figures.requests.refusals) {
      const more = count - (this.#refusals.get(code) ?? 0);
      if (more > 0) refusals[code] = more;
    }
    this.#refusals = new Map(figures.requests.refusals);
    const timed = [figures.requests.all.since(this.#requests), figures.gateway.all.since(this.#gateway)];
    return { at, rates, gauges: this.#gauges(), timed, refusals };
  }

  hottest(): readonly HotDealThen[] {
    return this.parts.figures.sales.hottest.now.map(({ deal, soldPerSecond, left }) => ({
      slug: deal,
      units_left: left,
      sold_per_second: soldPerSecond,
    }));
  }

  /** The longest delay of the event loop in the last minute, in seconds; null before the first one. */
  get longestDelay(): number | null {
    return this.#delays.length === 0 ? null : Math.max(...this.#delays) / SECOND;
  }

  /** In the order of `RATES`. */
  #counts(): readonly number[] {
    const { figures, loop } = this.parts;
    const { requests, sales, gateway, log } = figures;
    const counts: Readonly<Record<Rate, number>> = {
      sales: sum(Object.values(sales.units)),
      requests: requests.all.count,
      refusals: sum([...requests.refusals.values()]),
      commands: loop.stats.commands,
      appends: log.appends,
      gateway: gateway.all.count,
    };
    return RATES.map((name) => counts[name]);
  }

  /** In the order of `GAUGES`. */
  #gauges(): readonly (number | null)[] {
    const { looks, projections, eventLoop } = this.parts;
    const delay = eventLoop()?.longest();
    if (delay !== undefined) this.#delays = [...this.#delays.slice(1 - SECONDS), delay];
    const lags = projections.report()?.views ?? [];
    const events = lags.map(({ lagEvents }) => lagEvents).filter((lag) => lag !== null);
    const gauges: Readonly<Record<Gauge, number | null>> = {
      holds: looks.holds.value?.open ?? null,
      oversold: looks.oversold.value,
      lagEvents: events.length === 0 ? null : Math.max(...events),
      lagSeconds: lags.length === 0 ? null : Math.max(...lags.map(({ lagSeconds }) => lagSeconds)),
      loopDelay: delay === undefined ? null : Math.round(delay * 10) / 10,
    };
    return GAUGES.map((name) => gauges[name]);
  }
}

/** Seconds of a minute. */
const SECONDS = 60;

const sum = (all: readonly number[]): number => all.reduce((total, each) => total + each, 0);
