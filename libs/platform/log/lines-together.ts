import type { Time } from '#eventsourcing';

/** Where lines go: a stream of `sonic-boom`, which pino makes. */
interface Lines {
  write(text: string): unknown;
  flushSync(): void;
}

/** Milliseconds that a line waits for others. */
const WAIT = 10;
/** Characters that do not wait for more. */
const ENOUGH = 64 * 1024;
/** How the lines begin that wait: nobody acts on them at once. */
const PATIENT = /^\{"level":"(info|debug|trace)"/;

/**
 * Writes log lines together, in their order: those about usual work every 10 ms, warnings and errors at the end of the turn of the
 * event loop. A write takes longer than the rest of a line. Nothing is lost if the process ends by itself.
 */
export class LinesTogether {
  #waiting = '';
  #isUrgent = false;

  constructor(
    private readonly to: Lines,
    private readonly time: Pick<Time, 'soon' | 'after'>,
  ) {
    process.on('exit', () => {
      if (this.#waiting !== '') this.flushSync();
    });
  }

  write(line: string): void {
    if (this.#waiting === '') this.time.after(WAIT, () => this.#pass());
    this.#waiting += line;
    if (this.#isUrgent || (PATIENT.test(line) && this.#waiting.length < ENOUGH)) return;
    this.#isUrgent = true;
    this.time.soon(() => this.#pass());
  }

  /** Writes everything before it returns; pino calls it after a fatal line. */
  flushSync(): void {
    this.#pass();
    this.to.flushSync();
  }

  #pass(): void {
    this.#isUrgent = false;
    if (this.#waiting === '') return;
    this.to.write(this.#waiting);
    this.#waiting = '';
  }
}
