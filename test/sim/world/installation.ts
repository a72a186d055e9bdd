import type { Recorded } from '#kernel';
import type { GatewayServer } from './gateway.js';
import type { ViewsData } from './view-data.js';
import type { MailServer } from './mail-server.js';
import type { Answer, Request, ServiceProcess } from './service-process.js';

/** What is on disk of an installation's log. */
export interface Truth {
  /** Every event, in the order of the log. */
  readonly events: readonly Recorded[];
  of(stream: string): readonly Recorded[];
  /** Calls with every event that is written from now on. */
  onWritten(listener: (event: Recorded) => void): void;
}

/** All processes of one installation of the product, with what they stand on. */
export interface Installation {
  /** Those that answer partners' calls. */
  readonly apis: readonly ServiceProcess[];
  readonly processes: readonly ServiceProcess[];
  /** What its processes reach over a network. */
  readonly servers: readonly { readonly isWell: boolean }[];
  readonly log: Truth;
  /** The rows that its readers see. */
  readonly views: ViewsData;
  readonly gateway: GatewayServer;
  readonly mails: MailServer;
  /** Since when a process tries in vain to append; undefined if it does not. Absent for a log in a file. */
  readonly appendsFailSince?: (process: ServiceProcess) => number | undefined;
  /** The streams whose events somebody hides at the moment; absent for a log in a file. */
  readonly cut?: ReadonlySet<string>;
  /** Whether the clock of each server of the log is right; undefined for a log in a file. */
  readonly areClocksRight?: () => boolean;
  /** The log's server ends, and has lost what came after this position when it is back; undefined for a log in a file. */
  readonly loseEnd?: (after: bigint) => void;
  /** Nothing can be written to the log's server for so many milliseconds; undefined for a log in a file. */
  readonly stopWrites?: (milliseconds: number) => void;
  /** The process is killed, or its machine loses its power. */
  crash(process: ServiceProcess): void;
}

/** The outcome of a request for its client: an answer, or none. */
export type Reply = { readonly kind: 'answer'; readonly answer: Answer } | { readonly kind: 'lost' };

export type { Answer, Request };
