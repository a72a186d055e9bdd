import type { Measurement } from '../bench.js';
import { median, spreadOf } from '../measure/median.js';
import { runChild } from './child-work.js';

const EVENTS = 100_000;

interface Report {
  /** Events per second. */
  readonly rate: number;
  /** Microseconds of processor time per event, all threads together. */
  readonly cpu: number;
}

/** The processor time per event of bare SQLite ÷ that of the engine's log. */
export const append: Measurement = async (bench, row) => {
  const args = [bench.folder, String(bench.sized(EVENTS))];
  const [ours, bare]: [Report[], Report[]] = [[], []];
  for (let turn = 0; turn < bench.options.turns; turn += 1) {
    bare.push(await runChild<Report>('append', ['bare', ...args]));
    ours.push(await runChild<Report>('append', ['engine', ...args]));
    bench.progress(`${row}: ${ours.at(-1)?.cpu.toFixed(1)} µs per event, bare ${bare.at(-1)?.cpu.toFixed(1)} µs`);
  }
  return [
    {
      figure: spreadOf(ours.map(({ cpu }, nth) => (bare[nth]?.cpu ?? NaN) / cpu)),
      shown: {
        'events per second': median(ours.map(({ rate }) => rate)),
        'bare events per second': median(bare.map(({ rate }) => rate)),
        'µs CPU per event': median(ours.map(({ cpu }) => cpu)),
        'bare µs CPU per event': median(bare.map(({ cpu }) => cpu)),
      },
    },
  ];
};
