import type {
  Codec,
  CommandLoop,
  EventLogReader,
  Freshness,
  IdempotencyRecords,
  Keyring,
  MovableClock,
  Numbers,
  PersonalData,
  Randomness,
  Reader,
  Time,
  Vault,
  ViewChanges,
  ViewReaders,
  WholeLog,
  Writer,
} from '#eventsourcing';
import type { WatchedLog } from '#ownership';

/** The parts of a process that work with events and views. Use cases get `writer`, `reader` and single parts, never the whole. */
export interface Engine {
  readonly writer: Writer;
  readonly reader: Reader;
  readonly wholeLog: WholeLog;
  /** Numbers the log's events. */
  readonly numbers: Numbers;
  readonly loop: CommandLoop;
  readonly log: EventLogReader;
  /** What positions that callers send are compared with: the log. */
  readonly positions: Pick<WatchedLog, 'reaches'>;
  readonly codec: Codec;
  readonly views: ViewReaders;
  readonly changes: ViewChanges;
  readonly freshness: Freshness;
  readonly clock: MovableClock;
  readonly time: Time;
  readonly randomness: Randomness;
  readonly keyring: Keyring;
  readonly personalData: PersonalData;
  readonly vault: Vault;
  readonly records: IdempotencyRecords;
}
