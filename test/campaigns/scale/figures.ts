import { expect } from '@jest/globals';
import { tell } from '../size.js';

/** A measured figure, and what it may be. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: 'ms' | 'MiB' | 's' | 'times';
  /** The most that it may be. */
  readonly ceiling: number;
  /** What it should be on a quiet machine. */
  readonly goal: number;
  /** Milliseconds of CPU that it took: on a busy machine the rest is time in which others ran. */
  readonly cpu?: number;
}

/**
 * The figures of a campaign: prints each with its limits, and in the full size expects in the end that each is within its ceiling.
 * The small size runs on busy machines, where only orders of magnitude tell something.
 */
export class Figures {
  readonly #missed: string[] = [];

  constructor(
    /** The environment variable of the campaign. */
    private readonly variable: string,
  ) {}

  add({ name, value, unit, ceiling, goal, cpu }: Figure): void {
    const limits = `ceiling ${ceiling}, goal ${goal}`;
    const worked = cpu === undefined ? '' : `, with ${cpu.toFixed(0)} ms of CPU`;
    const line = `${name}: ${value.toFixed(2)} ${unit} (${limits})${worked}${value <= ceiling ? '' : ', MISSED'}`;
    tell(this.variable, line);
    if (!(value <= ceiling)) this.#missed.push(line);
  }

  /** Fails if a figure has missed its ceiling. */
  expectAllWithin(): void {
    if (process.env[this.variable] !== undefined) expect(this.#missed).toEqual([]);
  }
}

/** The middle one of some values. */
export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
