/** A setting, as operators see it: no secret, and nothing of a person. */
export interface ShownSetting {
  readonly name: string;
  readonly means: string;
  readonly from: 'default' | 'environment';
  /** Null: it is set, and not shown. Without a default, it is what happens instead. */
  readonly value: string | null;
}

/** What is set of operators' calls, and what they see of all settings. */
export class OperationsSettings {
  constructor(
    /** Whether time may be moved (ruling G10). */
    readonly testClock: boolean,
    readonly all: readonly ShownSetting[],
  ) {}
}
