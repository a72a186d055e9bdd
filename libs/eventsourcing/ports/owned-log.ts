import type { EventLog } from './event-log.js';
import type { LeaseRegister } from './lease-register.js';

/** Who a log belongs to. */
export interface LogOwner {
  /** The installation: its key store and its gateway's ledger. */
  readonly installation: string;
  /** Tells its keys from others, and nothing about them. */
  readonly keys: string;
  /** The gateway's ledger that knows its charges; absent where the gateway names none, and in logs of earlier builds. */
  readonly ledger?: string;
}

/** What a log says of itself, beside its events. */
export interface LogRecord {
  readonly identity: string;
  /** undefined: nobody has taken it yet, as in logs of earlier builds. */
  readonly owner: LogOwner | undefined;
}

/** A log that knows whose it is. */
export interface OwnedLog extends EventLog {
  /** Who may decide on it, where more than one process can reach it. */
  readonly lease?: LeaseRegister;

  /**
   * What the log says of itself now, asked of the leader where there are several nodes; undefined where there is no log
   * (any more).
   * @throws Unavailable when it cannot be asked; Error in words when a newer build wrote it
   */
  record(): Promise<LogRecord | undefined>;

  /** Makes the log another owner's, durably, if its owner is `before` still. @returns whether it was */
  own(before: LogOwner | undefined, owner: LogOwner): Promise<boolean>;

  /**
   * Whether a setting of its server takes events away from a stream; whoever watches over the log is told of it. Absent
   * where nobody can set such.
   * @throws Unavailable when it cannot be asked
   */
  isCut?(stream: string): Promise<boolean>;

  /**
   * Resolves once an append would get an answer; writes nothing. Absent where one always does, or none ever will again.
   * @throws Error of any kind when none comes
   */
  probe?(): Promise<void>;
}
