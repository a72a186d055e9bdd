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
}

/**
 * Loads both services in turn for short slices, and compares the processor time per request of neighbouring ones. What else
 * the machine does changes slowly, so it disturbs both alike.
 */
export async function compareSlices(
  [before, after]: readonly [Side, Side],
  { load, ...length }: { readonly load: LoadGenerator; readonly seconds: number; readonly connections: number },
  slices: number,
): Promise<Compared> {
  const used: [number[], number[]] = [[], []];
  const slice = async ({ holdfast, asked }: Side): Promise<number> => {
    const pid = holdfast.processes[0]?.pid ?? 0;
    const visit = await asked.visit();
    const idle = (): Promise<void> => untilIdle(() => cpuTime(pid));
    await idle();
    const began = usedBy(pid);
    const { requests } = await load.run({ ports: holdfast.ports, visit, ...length });
    await idle();
    return (usedBy(pid) - began) / requests;
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
  const ratios = used[0].map((own, index) => own / (used[1][index] ?? NaN)).toSorted((a, b) => a - b);
  const quartile = (part: number): number => ratios[Math.round(part * (ratios.length - 1))] ?? NaN;
  return {
    before: median(used[0]),
    after: median(used[1]),
    ratio: median(ratios),
    quartiles: [quartile(0.25), quartile(0.75)],
  };
}

/** Microseconds of processor time of the threads that run now. */
function usedBy(pid: number): number {
  return [...threadTimes(pid).values()].reduce((sum, time) => sum + time, 0);
}
