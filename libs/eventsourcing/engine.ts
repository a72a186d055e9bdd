import type { CommandLoop } from './command-loop/command-loop.js';
import type { Codec } from './codec.js';
import type { Keyring } from './crypto/keyring.js';
import type { PersonalData } from './crypto/personal-data.js';
import type { Freshness } from './freshness.js';
import type { MovableClock } from './ports/clock.js';
import type { EventLogReader } from './ports/event-log.js';
import type { IdempotencyRecords } from './ports/idempotency-records.js';
import type { Randomness } from './ports/randomness.js';
import type { Time } from './ports/time.js';
import type { Vault } from './ports/vault.js';
import type { ViewReaders } from './ports/view-store.js';
import type { ViewChanges } from './view-changes.js';

/** What the service is told about itself. */
export interface Site {
  /** Where it is reached from outside; known once it listens. */
  publicUrl: string;
  /** Cents that a new user gets where nothing is said. */
  readonly signupCredit: number;
  /** Milliseconds that a call to the payment gateway waits for its answer. */
  readonly gatewayTimeout: number;
  /** Whether time may be moved (ruling G10). */
  readonly testClock: boolean;
}

/** What hashing a password with argon2id costs. */
export interface PasswordHashing {
  /** KiB. */
  readonly memory: number;
  /** Passes over the memory. */
  readonly iterations: number;
  /** Threads. */
  readonly parallelism: number;
}

/** What use cases and queries work with. `platform` constructs it. */
export class Engine {
  readonly loop!: CommandLoop;
  readonly log!: EventLogReader;
  readonly codec!: Codec;
  readonly views!: ViewReaders;
  readonly changes!: ViewChanges;
  readonly freshness!: Freshness;
  readonly clock!: MovableClock;
  readonly time!: Time;
  readonly randomness!: Randomness;
  readonly keyring!: Keyring;
  readonly personalData!: PersonalData;
  readonly vault!: Vault;
  readonly records!: IdempotencyRecords;
  readonly passwordHashing!: PasswordHashing;
  readonly site!: Site;

  constructor(parts: Readonly<Engine>) {
    Object.assign(this, parts);
  }
}
