import type { LoadGenerator } from '../load/load-generator.js';
import { median } from '../measure/median.js';
import { cpuTime, threadTimes, untilIdle } from '../measure/process-use.js';
import type { Holdfast } from '../servers/holdfast.js';
import type { Asked } from '../rows/compare-http.js';

/** A checkout's service, and what one row asks of it. */
export interface Side {
  readonly holdfast: Holdfast;
  readonly asked: Asked;
}

/** Processor time per request of one checkout against the other. */
export interface Compared {
  /** Microseconds per request: the median of the slices. */
  readonly before: number;
  readonly after: number;
  /** Processor time before ÷ after, slice by slice: the median, and the quartiles. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
  /** The same times by thread: medians of before and after. */
  readonly threads: ReadonlyMap<string, readonly [number, number]>;
}

type Times = ReadonlyMap<string, number>;

/**
 * Loads both services in turn for short slices, and compares the processor time per request of neighbouring ones. What else
 * the machine does changes slowly, so it disturbs both alike.
 */
export async function compareSlices(
  [before, after]: readonly [Side, Side],
  { load, ...length }: { readonly load: LoadGenerator; readonly seconds: number; readonly connections: number },
  slices: number,
): Promise<Compared> {
  const used: [Times[], Times[]] = [[], []];
  const slice = async ({ holdfast, asked }: Side): Promise<Times> => {
    const pid = holdfast.processes[0]?.pid ?? 0;
    const visit = await asked.visit();
    const idle = (): Promise<void> => untilIdle(() => cpuTime(pid));
    await idle();
    const began = threadTimes(pid);
    const { requests } = await load.run({ ports: holdfast.ports, visit, ...length });
    await idle();
    const ended = threadTimes(pid);
    return new Map([...ended].map(([name, time]) => [name, (time - (began.get(name) ?? 0)) / requests]));
  };
  // The first slice of each warms it up.
  for (let count = -1; count < slices; count += 1) {
    // The one that comes first in one pair comes second in the next.
    const isFirst = count % 2 === 0;
    const first = await slice(isFirst ? before : after);
    const second = await slice(isFirst ? after : before);
    if (count < 0) continue;
    used[0].push(isFirst ? first : second);
    used[1].push(isFirst ? second : first);
  }
  const [theirs, ours] = [used[0].map(sumOf), used[1].map(sumOf)];
  const ratios = theirs.map((own, index) => own / (ours[index] ?? NaN)).toSorted((a, b) => a - b);
  const quartile = (part: number): number => ratios[Math.round(part * (ratios.length - 1))] ?? NaN;
  const names = new Set(used.flat().flatMap((times) => [...times.keys()]));
  const ofThread = (name: string, all: readonly Times[]): number => median(all.map((times) => times.get(name) ?? 0));
  return {
    before: median(theirs),
    after: median(ours),
    ratio: median(ratios),
    quartiles: [quartile(0.25), quartile(0.75)],
    threads: new Map([...names].map((name) => [name, [ofThread(name, used[0]), ofThread(name, used[1])]])),
  };
}

function sumOf(times: Times): number {
  return [...times.values()].reduce((sum, time) => sum + time, 0);
}
