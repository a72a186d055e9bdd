import type { Logger } from 'pino';
import type { KeyValueStore, Finding, OwnedLog, SearchedForLog } from '#eventsourcing';
import type { Config } from '../config.js';
import type { NamedEngine } from './named-engine.js';
import type { LogLocation } from './locations.js';

/** What an engine reports about its log. */
export interface LogEvents {
  /** Something was appended. */
  appended(): void;
  /** The log could not be followed for a moment. */
  broken(): void;
  /** Somebody cut a stream or wrote into it. @returns whether that is accepted */
  found(finding: Finding): boolean;
  /** The log takes no more appends until a restart. */
  failed(error: Error): void;
  /** A message that the disk is full; undefined: the log goes on. */
  hindered(reason: string | undefined): void;
}

/** A log, and the location at which the projector's thread opens it. */
export interface OpenedLog {
  readonly log: OwnedLog;
  readonly location: LogLocation;
}

/** An engine for the log. */
export interface LogEngine extends NamedEngine {
  /** Whether a first start on this engine loads the demo (ruling G9). */
  readonly demo: boolean;
  /** Runs before anything is opened. @throws Error for people to read if the configuration ignores a log that exists */
  refuseOthers(config: Config, logger: Logger): Promise<void>;
  /** Describes the log that exists, for people; undefined if there is none. Called before the log is opened. */
  existing(config: Config, logger: Logger, search: SearchedForLog): Promise<string | undefined>;
  /** @throws Error for people to read if it cannot be opened, or if this build cannot use its data */
  open(
    config: Config,
    keyValues: KeyValueStore,
    on: LogEvents,
    logger: Logger,
    search: SearchedForLog,
  ): Promise<OpenedLog>;
}
