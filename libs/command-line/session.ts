import type { Time } from '#eventsourcing';
import type { ExitCode } from './command-failure.js';
import type { Output } from './output.js';
import type { ProjectionsClient } from './projections-client.js';
import type { ServiceClient } from './service-client.js';

/** What a command works with. It is made after the options are parsed. */
export interface Session {
  readonly service: ServiceClient;
  readonly projections: ProjectionsClient;
  readonly output: Output;
  /** Aborts at Ctrl-C. */
  readonly interrupted: AbortSignal;
  readonly time: Time;
  /** Sets the exit code of a command that has printed its result, and is not done all the same. */
  readonly endWith: (code: ExitCode) => void;
}
