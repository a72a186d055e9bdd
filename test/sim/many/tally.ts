import { type Fault, FAULTS } from '../core/faults.js';
import type { ToldWorld } from './told-world.js';

const HOUR = 3_600_000;

/** What many worlds say together. */
export interface Summary {
  readonly worlds: number;
  /** How many worlds each form of an installation had. */
  readonly forms: Readonly<Record<string, number>>;
  readonly failures: readonly { readonly seed: string; readonly failure: string }[];
  /** Of the worlds. */
  readonly hours: number;
  /** Of the real machine, and of its processors. */
  readonly realHours: number;
  readonly processorHours: number;
  readonly timesFasterThanReal: number;
  /** Of every fault: how often it struck, and in how many worlds. */
  readonly faults: Readonly<Record<Fault, { readonly strikes: number; readonly worlds: number }>>;
}

/** Counts what many worlds tell. */
export class Tally {
  readonly #began = performance.now();
  readonly #worlds: ToldWorld[] = [];

  take(world: ToldWorld): void {
    this.#worlds.push(world);
  }

  summary(): Summary {
    const worlds = this.#worlds;
    const sum = (of: (world: ToldWorld) => number): number => worlds.reduce((total, each) => total + of(each), 0);
    const real = performance.now() - this.#began;
    const lasted = sum((each) => each.lasted);
    const forms: Record<string, number> = {};
    for (const { form = 'unknown' } of worlds) forms[form] = (forms[form] ?? 0) + 1;
    const faults = Object.fromEntries(
      (Object.keys(FAULTS) as Fault[]).map((fault) => [
        fault,
        {
          strikes: sum(({ struck }) => struck[fault] ?? 0),
          worlds: worlds.filter(({ struck }) => struck[fault] !== undefined).length,
        },
      ]),
    ) as Summary['faults'];
    return {
      worlds: worlds.length,
      forms,
      failures: worlds.flatMap(({ seed, failure }) => (failure === undefined ? [] : [{ seed, failure }])),
      hours: lasted / HOUR,
      realHours: real / HOUR,
      processorHours: sum((each) => each.worked) / HOUR,
      timesFasterThanReal: lasted / real,
      faults,
    };
  }
}

/** The summary in words, with a table of the faults. */
export function wordsOf(summary: Summary): string {
  const { worlds, forms, failures, hours, realHours, processorHours, timesFasterThanReal, faults } = summary;
  const ofForms = Object.entries(forms).map(([form, count]) => `${count} ${form}`);
  const width = Math.max(...Object.keys(faults).map(({ length }) => length));
  return [
    '',
    `${worlds} worlds (${ofForms.join(', ')}), ${failures.length} failures`,
    ...failures.map(({ seed, failure }) => `  seed ${seed}: ${failure}`),
    `${hours.toFixed(1)} hours of the worlds in ${(realHours * 60).toFixed(1)} minutes: ${timesFasterThanReal.toFixed(0)} times faster than real`,
    `${((processorHours * 3_600) / Math.max(1, worlds)).toFixed(2)} s of a processor for each world`,
    '',
    `${'fault'.padEnd(width)}  strikes  worlds`,
    ...Object.entries(faults).map(([fault, struck]) => {
      const { strikes, worlds: inWorlds } = struck;
      return `${fault.padEnd(width)}  ${String(strikes).padStart(7)}  ${String(inWorlds).padStart(6)}`;
    }),
  ].join('\n');
}
