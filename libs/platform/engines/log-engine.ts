import type { Logger } from 'pino';
import type { Facts, Finding, OwnedLog } from '#eventsourcing';
import type { Config } from '../config.js';
import type { Named } from './named.js';
import type { LogPlace } from './places.js';

/** Who is told of the log. */
export interface LogEvents {
  /** Something was appended. */
  appended(): void;
  /** It could not be followed for a moment. */
  broken(): void;
  /** One of its streams was cut, or others wrote into it. @returns whether that is accepted */
  found(finding: Finding): boolean;
  /** It takes no more appends, for good. */
  failed(error: Error): void;
  /** The disk is full, in words; undefined: the log goes on. */
  hindered(reason: string | undefined): void;
}

/** A log, and where the projector's thread finds it. */
export interface OpenedLog {
  readonly log: OwnedLog;
  readonly place: LogPlace;
}

/** What a log may stand on. */
export interface LogEngine extends Named {
  /** Whether a first start on it loads the demo, which is for whoever tries Holdfast out (ruling G9). */
  readonly demo: boolean;
  /** Before anything is opened. @throws Error in words where there is another log, which the configuration passes over */
  refuseOthers(config: Config): Promise<void>;
  /** The log that there is already, in words; undefined where there is none. Asked before it is opened. */
  existing(config: Config): Promise<string | undefined>;
  /** @throws Error in words when it cannot be had, or holds what this build cannot use */
  open(config: Config, facts: Facts, on: LogEvents, logger: Logger): Promise<OpenedLog>;
}
