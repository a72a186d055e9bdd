import type { Time } from '#eventsourcing';

/** Where lines go: a stream of `sonic-boom`, which pino makes. */
interface Lines {
  write(text: string): unknown;
  flushSync(): void;
}

/**
 * Writes the log lines of one turn of the event loop together. A write takes longer than the rest of a line, and answers that
 * leave together have their lines together. Nothing is lost if the process ends by itself.
 */
export class LinesOfTurn {
  #waiting = '';

  constructor(
    private readonly to: Lines,
    private readonly time: Pick<Time, 'soon'>,
  ) {
    // Only after `process.exit`: otherwise the turn has ended, and the stream too.
    process.on('exit', () => {
      if (this.#waiting !== '') this.flushSync();
    });
  }

  write(line: string): void {
    if (this.#waiting === '') this.time.soon(() => this.#pass());
    this.#waiting += line;
  }

  /** Writes everything before it returns; pino calls it after a fatal line. */
  flushSync(): void {
    this.#pass();
    this.to.flushSync();
  }

  #pass(): void {
    if (this.#waiting === '') return;
    this.to.write(this.#waiting);
    this.#waiting = '';
  }
}
