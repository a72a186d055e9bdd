import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { count } from '../format.js';

/** A line of a plot. */
export interface Line {
  readonly name: string;
  /** The custom property with its colour. */
  readonly color: string;
  readonly values: readonly (number | null)[];
  readonly fill?: boolean;
}

interface PlotOf {
  /** What it shows, in words, for whoever does not see it. */
  readonly label: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly Line[];
  readonly unit: string;
  /** Whether a value stays until the next one. */
  readonly stepped?: boolean;
  readonly height?: number;
  /** Set if the title above has its unit. */
  readonly isUnitAbove?: boolean;
}

const colorOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/** The same colour, so faint that lines are seen through it. */
const faint = (color: string): string => (color.length === 4 ? `${color}3` : `${color}2e`);

/** Values over time. */
export function Plot({
  label,
  times,
  series,
  unit,
  stepped = false,
  height = 220,
  isUnitAbove = false,
}: PlotOf): VNode {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const shape = series.map(({ name, color }) => `${name} ${color}`).join();
  const data = [times, ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  const newest = useRef(data);
  newest.current = data;

  useEffect(() => {
    const { current } = frame;
    if (current === null) return undefined;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(current.clientWidth, height, series, unit, stepped), newest.current, current);
    };
    draw();
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: current.clientWidth, height }));
    sizes.observe(current);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      sizes.disconnect();
      scheme.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape, unit, stepped, height]);
  useEffect(() => plot.current?.setData(data), [times, series]);

  const last = series.map(({ name, values }) => `${name} ${newestOf(values)}`).join(', ');
  return (
    <figure class="plot">
      <figcaption class="legend">
        {series.map(({ name, color, values }) => (
          <span key={name}>
            <i style={{ background: `var(${color})` }} /> {name} <b>{newestOf(values)}</b>
          </span>
        ))}
        {!isUnitAbove && <span class="soft">{unit}</span>}
      </figcaption>
      <div ref={frame} role="img" aria-label={`${label}. Now: ${last} ${unit}.`} style={{ minHeight: `${height}px` }} />
    </figure>
  );
}

/** The newest value that is known: the last seconds may not be. */
function newestOf(values: readonly (number | null)[]): string {
  const value = values.slice(-RECENT).findLast((each) => each !== null);
  return typeof value === 'number' ? count(value) : '–';
}
const RECENT = 15;

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const SECONDS = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
/** Gaps of so few pixels are drawn over: a second was not measured. */
const NARROW = 12;
const DAYS = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

/** The marks of the time axis: days, minutes or seconds, by how far they are apart. */
function timesOf(marks: readonly number[]): string[] {
  // A single mark stands for a while of minutes.
  const apart = marks.length < 2 ? 60 : (marks[1] ?? 0) - (marks[0] ?? 0);
  const form = apart >= 86_400 ? DAYS : apart >= 60 ? CLOCK : SECONDS;
  return marks.map((at) => form.format(at * 1_000));
}

function optionsOf(
  width: number,
  height: number,
  series: readonly Line[],
  unit: string,
  stepped: boolean,
): uPlot.Options {
  const [line, soft] = [colorOf('--line'), colorOf('--soft')];
  const steps = stepped ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  const axis: uPlot.Axis = {
    stroke: soft,
    font: '12px system-ui, sans-serif',
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 7 } },
    padding: [8, 26, 0, 0],
    scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] } },
    axes: [
      { ...axis, grid: { show: false }, space: 64, values: (_, all) => timesOf(all) },
      { ...axis, size: 56, values: (_, all) => all.map((value) => count(value)) },
    ],
    series: [
      { label: 'time' },
      ...series.map(({ name, color, fill }): uPlot.Series => {
        const stroke = colorOf(color);
        return {
          label: `${name} (${unit})`,
          stroke,
          width: 2,
          points: { show: false },
          gaps: (_, __, ___, ____, gaps) => gaps.filter(([from, to]) => to - from > NARROW),
          ...(fill === true && { fill: faint(stroke) }),
          ...(steps !== undefined && { paths: steps }),
        };
      }),
    ],
  };
}
