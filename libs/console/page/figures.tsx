import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { words } from './format.js';
import { live } from './live.js';
import { Show, useLoaded } from './ui/loaded.js';
import { Part } from './ui/parts.js';
import { type Line, Plot } from './ui/plot.js';

/** What the processes of the service have measured, from `/operators/metrics`. */
interface History {
  readonly span: 'hour' | 'day';
  /** Seconds. */
  readonly step: number;
  readonly from: string;
  readonly processes: readonly { readonly id: string; readonly role: string }[];
  readonly series: Readonly<
    Record<
      string,
      {
        readonly sum: readonly (number | null)[];
        readonly by_process: Readonly<Record<string, readonly (number | null)[]>>;
      }
    >
  >;
}

/** A second of the stream. */
interface Second {
  readonly at: number;
  readonly values: Readonly<Record<string, number | null>>;
}

/** The plots: their titles, and the series of each with its name and colour. */
const PLOTS: readonly {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly (readonly [series: string, name: string, color: string])[];
}[] = [
  { title: 'Sales', unit: 'units a second', lines: [['sales_per_second', 'sold', '--sold']] },
  { title: 'Holds', unit: 'open holds', lines: [['holds_open', 'open', '--held']] },
  { title: 'Refusals', unit: 'requests a second', lines: [['refusals_per_second', 'refused', '--bad']] },
  {
    title: 'Answers',
    unit: 'ms',
    lines: [
      ['request_p99', 'p99', '--held'],
      ['request_p50', 'p50', '--sold'],
    ],
  },
  { title: 'Views behind the log', unit: 'events', lines: [['views_lag_events', 'behind', '--held']] },
  {
    title: 'Gateway',
    unit: 'ms',
    lines: [
      ['gateway_p99', 'p99', '--held'],
      ['gateway_p50', 'p50', '--sold'],
    ],
  },
  { title: 'Requests', unit: 'a second', lines: [['requests_per_second', 'answered', '--sold']] },
  { title: 'Event loop', unit: 'ms late', lines: [['event_loop_delay', 'late', '--good']] },
];
/** The colours of refusals by their code. */
const OF_CODES = ['--held', '--sold', '--good'];
/** A plot has at least so many values. */
const FEWEST = 120;
const REFUSALS_OF = 'refusals_per_second.';

/** Live plots over the last hour or day: all processes together, or one of them. */
export function Figures(): VNode {
  const [span, setSpan] = useState<'hour' | 'day'>('hour');
  const [process, setProcess] = useState('');
  const loaded = useLoaded<History>(`/operators/metrics?span=${span}`, span === 'day' ? 60_000 : 600_000);
  return (
    <Part
      title="Figures"
      aside={
        <div class="row">
          <label class="row">
            <span class="soft">Over</span>
            <select
              value={span}
              onChange={({ currentTarget }) => setSpan(currentTarget.value === 'day' ? 'day' : 'hour')}
            >
              <option value="hour">the last hour</option>
              <option value="day">the last day</option>
            </select>
          </label>
          {(loaded.value?.processes.length ?? 0) > 1 && (
            <label class="row">
              <span class="soft">Of</span>
              <select value={process} onChange={({ currentTarget }) => setProcess(currentTarget.value)}>
                <option value="">all processes</option>
                {loaded.value?.processes.map(({ id, role }) => (
                  <option key={id} value={id}>
                    {`${role} ${id.slice(0, 8)}`}
                  </option>
                ))}
              </select>
            </label>
          )}
        </div>
      }
    >
      <Show of={loaded}>{(history) => <Plots history={history} process={process} />}</Show>
    </Part>
  );
}

function Plots({ history, process }: { readonly history: History; readonly process: string }): VNode {
  const { step, from, series, span } = history;
  const began = Date.parse(from) / 1_000;
  const [first] = Object.values(series);
  const length = first?.sum.length ?? 0;
  const end = began + (length - 1) * step;
  const added = useSeconds(history, process !== '' || span === 'day').filter(({ at }) => at > end);
  const allTimes = [...Array.from({ length }, (_, nth) => began + nth * step), ...added.map(({ at }) => at)].slice(
    -length,
  );
  const valuesOf = (name: string): readonly (number | null)[] => {
    const known = process === '' ? series[name]?.sum : series[name]?.by_process[process];
    const before = known ?? Array.from({ length }, () => null);
    return [...before, ...added.map(({ values }) => values[name] ?? null)].slice(-length);
  };
  // A service that began a moment ago has no more to show than since then.
  const known = valuesOf('requests_per_second').findIndex((value) => value !== null);
  const since = known < 0 ? 0 : Math.min(known, Math.max(0, length - FEWEST));
  const times = allTimes.slice(since);
  const codes = Object.keys(series)
    .filter((name) => name.startsWith(REFUSALS_OF))
    .slice(0, OF_CODES.length);
  return (
    <div class="plots">
      {PLOTS.map(({ title, unit, lines }) => {
        const ofCodes =
          title === 'Refusals'
            ? codes.map(
                (name, nth) => [name, words(name.slice(REFUSALS_OF.length)), OF_CODES[nth] ?? '--edge'] as const,
              )
            : [];
        const drawn = [...lines, ...ofCodes].map(([name, label, color], nth): Line => ({
          name: label,
          color,
          values: valuesOf(name).slice(since),
          fill: nth === 0 && lines.length === 1,
        }));
        return (
          <div key={title}>
            <h3>
              {title} <small>{unit}</small>
            </h3>
            <Plot
              label={`${title} over the last ${span}`}
              times={times}
              series={drawn}
              unit={unit}
              isUnitAbove
              height={150}
            />
          </div>
        );
      })}
    </div>
  );
}

/** The seconds that the stream has told since the history was read. */
function useSeconds(history: History, isFixed: boolean): readonly Second[] {
  const seconds = useRef<{ readonly of: History; all: Second[] }>({ of: history, all: [] });
  if (seconds.current.of !== history) seconds.current = { of: history, all: [] };
  const { all } = seconds.current;
  const newest = live.value?.newest;
  if (isFixed || newest === undefined) return [];
  const at = Date.parse(newest.at) / 1_000;
  if (at > (all.at(-1)?.at ?? 0)) seconds.current.all = [...all, { at, values: newest.values }].slice(-3_600);
  return seconds.current.all;
}
