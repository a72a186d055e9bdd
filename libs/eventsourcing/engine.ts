import type { CommandLoop } from './command-loop/command-loop.js';
import type { Codec } from './codec.js';
import type { Keyring } from './crypto/keyring.js';
import type { PersonalData } from './crypto/personal-data.js';
import type { Freshness } from './freshness.js';
import type { WatchedLog } from './ownership/watched-log.js';
import type { MovableClock } from './ports/clock.js';
import type { EventLogReader } from './ports/event-log.js';
import type { IdempotencyRecords } from './ports/idempotency-records.js';
import type { Randomness } from './ports/randomness.js';
import type { Time } from './ports/time.js';
import type { Vault } from './ports/vault.js';
import type { ViewReaders } from './ports/view-store.js';
import type { ViewChanges } from './view-changes.js';

/** What use cases and queries work with. `platform` constructs it. */
export class Engine {
  readonly loop!: CommandLoop;
  readonly log!: EventLogReader;
  /** What positions that callers send are compared with: the log. */
  readonly positions!: Pick<WatchedLog, 'reaches'>;
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

  constructor(parts: Readonly<Engine>) {
    Object.assign(this, parts);
  }
}
