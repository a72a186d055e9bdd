import type { Registry } from '@prometheus-io/client';
import { Durations } from '#kernel';
import { METRIC_NAMES, type MetricName, METRICS } from './table/index.js';

/** One value of a metric, with its labels. */
export interface Value {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a metric shows now: values, or durations with their labels; nothing if nobody knows. */
export type Shown = readonly (
  | Value
  | { readonly labels?: Readonly<Record<string, string>>; readonly durations: Durations }
)[];

/** Says what each metric of the table shows. The compiler asks for all of them. */
export type Sources = Readonly<Record<MetricName, () => Shown | Promise<Shown>>>;

/** The media type of the text. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A line of a metric, as the library writes it. */
interface Line {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The metrics of a process as Prometheus reads them. Its library, which writes the text, is loaded by the first call. */
export class Exposition {
  #registry: Promise<Registry> | undefined;

  constructor(private readonly sources: Sources) {}

  async text(): Promise<string> {
    this.#registry ??= this.#open();
    return (await this.#registry).metrics();
  }

  async #open(): Promise<Registry> {
    const { Registry: Opened } = await import('@prometheus-io/client');
    const registry = new Opened();
    for (const name of METRIC_NAMES) {
      // The library asks only these of a metric; its own ones would keep every value a second time.
      const metric = { name, get: () => this.#get(name), reset: () => undefined };
      registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0]);
    }
    return registry;
  }

  async #get(name: MetricName): Promise<object> {
    const { help, type } = METRICS[name];
    // What cannot be asked now is missing: the other metrics say why.
    const shown = await Promise.resolve()
      .then(() => this.sources[name]())
      .catch(() => []);
    const values = shown.flatMap((each): readonly Line[] =>
      'durations' in each
        ? linesOf(name, each.durations, each.labels ?? {})
        : [{ labels: each.labels ?? {}, value: each.value }],
    );
    return { name, help, type, values };
  }
}

/** The lines of a histogram, in seconds. */
function linesOf(name: string, durations: Durations, labels: Readonly<Record<string, string>>): readonly Line[] {
  return [
    ...Durations.doublings.map((bound) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: bound / 1_000 },
      value: durations.within(bound),
    })),
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: durations.count },
    { metricName: `${name}_sum`, labels, value: durations.sum / 1_000 },
    { metricName: `${name}_count`, labels, value: durations.count },
  ];
}
