import type { Time } from '#eventsourcing';
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
}
