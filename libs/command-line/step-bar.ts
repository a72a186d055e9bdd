import { SingleBar } from 'cli-progress';
import type { Output } from './output.js';

/** How far a step of a command is. */
export interface Step {
  readonly what: string;
  readonly done: number;
  /** undefined: nobody knows. */
  readonly of: number | undefined;
}

/** A bar in a terminal for a command of several steps, and nothing elsewhere. */
export class StepBar {
  #bar: SingleBar | undefined;

  constructor(
    private readonly name: string,
    private readonly output: Output,
  ) {}

  show({ what, done, of }: Step): void {
    const { err, form } = this.output;
    if (err.isTTY !== true || form === 'json') return;
    if (this.#bar === undefined) {
      this.#bar = new SingleBar({
        format: `${this.name} [{bar}] {what} {value} | {eta_formatted} left`,
        barsize: 30,
        hideCursor: true,
        stream: err,
      });
      this.#bar.start(1, 0, { what });
    }
    this.#bar.setTotal(Math.max(of ?? done, 1));
    this.#bar.update(done, { what });
  }

  hide(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}
