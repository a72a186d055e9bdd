/** The cost of hashing a password with argon2id. */
export interface PasswordHashing {
  /** KiB. */
  readonly memory: number;
  /** Passes over the memory. */
  readonly iterations: number;
  /** Threads. */
  readonly parallelism: number;
}

/** The installation's settings for users. */
export class PeopleSettings {
  constructor(
    /** Cents that a new user gets if the request names no credits. */
    readonly signupCredit: number,
    readonly passwordHashing: PasswordHashing,
  ) {}
}
