/** What was started or made, ended in reverse order whatever happens. */
export class Cleanup {
  readonly #ends: (() => unknown)[] = [];

  add(end: () => unknown): void {
    this.#ends.push(end);
  }

  /** A server that is starting: it is stopped even if the bench ends before it is ready. */
  begun<Started extends { stop(): unknown }>(starting: Promise<Started>): Promise<Started> {
    this.add(() =>
      starting.then(
        (server) => server.stop(),
        () => undefined,
      ),
    );
    return starting;
  }

  async run(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }
}
