import type { RecordPlace, SearchedForLog, SearchedLog } from '#eventsourcing';
import type { WatchedBy } from './stream-watch.js';

/** Names a log and its server. */
export interface EventStoreDbOptions extends WatchedBy {
  /**
   * A connection string: `esdb://host:2113?tls=false`. For a cluster it should name several hosts, or one name for all of
   * them (`esdb+discover://`): the leader is searched among them.
   */
  readonly url: string;
  /**
   * Begins the name of every stream, so that several logs and other applications can share a server. It has no dash, because
   * categories end at the first one. Empty if absent.
   */
  readonly prefix?: string;
  /** The categories of the log's streams: only events in one of them are the log's. Absent means any category. */
  readonly categories?: readonly string[];
  /** The log's identity, if known. A missing log is then not created, because the server is another one or was emptied. */
  readonly identity?: string | undefined;
  /** Where the record of the log with that identity is, if known. */
  readonly place?: RecordPlace | undefined;
  /** An operator has accepted that the log is gone: a new one is created if the server has no event of it. */
  readonly renews?: boolean;
  /** How far an earlier process has searched the log. */
  readonly searched?: SearchedLog | undefined;
  /** What was searched for a log before, in this start. */
  readonly search?: SearchedForLog;
  /** How long the opening waits for a server that does not answer yet, in milliseconds: 30,000 if absent. */
  readonly openWithin?: number;
  /** Looks into a failure to open. @throws TypeError if a setting is the cause, so that waiting is of no use */
  readonly examine?: (error: unknown) => Promise<void>;
}
