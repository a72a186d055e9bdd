/** What is set of operators' calls. */
export class OperationsSettings {
  constructor(
    /** Whether time may be moved (ruling G10). */
    readonly testClock: boolean,
  ) {}
}
