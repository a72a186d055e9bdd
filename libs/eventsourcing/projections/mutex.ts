/** Lets one piece of work run at a time, in the order in which they asked. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` once everything that asked before has ended, whatever became of that. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
