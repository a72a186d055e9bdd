import type { Instant, Position } from '#kernel';
import type { Finding } from './finding.js';
import type { AppendRefused, EventLog } from './event-log.js';
import type { LeaseRegister } from './lease-register.js';

/** The owner of a log. */
export interface LogOwner {
  /** The id of the installation: its key store and its gateway's ledger. */
  readonly installation: string;
  /** Identifies its keys without revealing anything about them. */
  readonly keys: string;
  /** The gateway's ledger that knows the log's charges; absent if the gateway names none. */
  readonly ledger?: string;
}

/** Where a log's record is, on a server that has other streams. */
export interface RecordPlace {
  /** Which name its stream has: the first, second, … */
  readonly number: number;
  /** The position of its last event. */
  readonly last: Position;
  /** Where the log began: none of its events is before. 0n if unknown. */
  readonly began: Position;
}

/** How far a log was searched, and its last event up to there: events of others may stand between. */
export interface SearchedLog {
  /** Our last event; 0n and empty if there is none. */
  readonly head: Position;
  readonly id: string;
  /** The end of the search: an event of anybody. */
  readonly end: Position;
  readonly endId: string;
}

/** How far a start has searched a server for a log, and found none. */
export interface SearchedForLog {
  emptyUpTo?: Position;
}

/** What a log stores about itself, beside its events. */
export interface LogRecord {
  readonly identity: string;
  /** undefined: nobody has taken the log yet. */
  readonly owner: LogOwner | undefined;
  /** Absent if the log is alone at its place. */
  readonly place?: RecordPlace | undefined;
  /** Readers do not find it by its name: it must be written again. */
  readonly missing?: boolean;
}

/** A log that knows its owner. */
export interface OwnedLog extends EventLog {
  /** How far it was searched for its last event; undefined until it was. Absent if it is alone at its place. */
  readonly searched?: SearchedLog | undefined;

  /** How often it has synced its file; absent if a server does that. */
  readonly syncs?: number;

  /**
   * Why this opening did not begin the log, though its server has none: nothing may be written to it, and its identity belongs to
   * no log. The next opening looks again.
   */
  readonly notBegun?: Finding | undefined;

  /** Who may decide on it, if more than one process can reach it. */
  readonly lease?: LeaseRegister;

  /**
   * The log's present record, from the leader if there are several nodes; undefined if there is no log (any more).
   * @throws Unavailable if the log cannot be asked; Error with a message for operators if a newer build wrote the record
   */
  record(): Promise<LogRecord | undefined>;

  /**
   * The connection that appends use. Opens one if there is none. Once the first connection is allowed, appends and leases
   * are sent over an allowed one only: an append that finds another one has an unknown outcome. So none goes to a server
   * that came after the check of the log. Absent if the log has no connection.
   * @throws Unavailable if an append over it would get no answer
   */
  connect?(): Promise<LogConnection>;

  /**
   * Writes a record again that readers do not find by its name. Of any number of processes one does. Absent if the record
   * cannot get lost alone.
   * @throws Unavailable
   */
  repeatRecord?(record: LogRecord): Promise<void>;

  /** Makes another owner the log's, durably, if its owner is still `before`. @returns whether it was */
  own(before: LogOwner | undefined, owner: LogOwner): Promise<boolean>;

  /**
   * Whether a setting of the server removes events from a stream; it also reports that to whoever watches the log. Absent if
   * nobody can set that.
   * @throws Unavailable if the log cannot be asked
   */
  isCut?(stream: string): Promise<boolean>;

  /**
   * Whether a stream was deleted for ever: its server refuses each append to it. Absent if nobody can do that.
   * @throws Unavailable if the log cannot be asked
   */
  isDeleted?(stream: string): Promise<boolean>;

  /**
   * Resolves when an append would get an answer, or when one that was refused would not be any more; writes nothing. Absent if an
   * append always gets one, or never will again.
   * @throws AppendRefused if it would be refused; Error of any kind if no answer comes
   */
  probe?(refused?: AppendRefused): Promise<void>;
}

/** What a check of a log asks and may change. */
export type CheckedLog = Pick<OwnedLog, 'record' | 'own' | 'head' | 'eventAt'>;

/** The same over a connection that appends use: a check reaches the server that they go to. */
export interface LogConnection extends CheckedLog {
  /** The server behind it, for operators. */
  readonly server?: string;
  /**
   * Whether an instant is past by the server's clock; writes nothing. Absent if the log has no clock of its own.
   * @throws Unavailable if the server does not say
   */
  isPast?(instant: Instant): Promise<boolean>;
  /** Allows appends over this connection: to be called after a check over it that found nothing. */
  allow(): void;
}
