import type { Logger } from 'pino';
import { AppendTraces, type Clock, type FedBatch, type Tracer } from '#eventsourcing';
import type { Mailer } from '#mailing/mail';
import type { Config } from '../config.js';
import type { Surroundings } from '../surroundings.js';
import { ProjectionTraces } from './projection-traces.js';
import { TracedMailer } from './traced-mailer.js';

/** The traces of a process. */
export interface Traces {
  readonly tracer: Tracer;
  readonly appends: AppendTraces;
  /** Shows a batch that the projector of this process has fed to the live views. */
  fed(batch: FedBatch): void;
  /** Sends what still waits, within a bound. */
  close(): Promise<void>;
}

/** Opens the traces of a process; undefined if nobody has configured a collector. */
export async function openTraces(config: Config, logger: Logger, around: Surroundings): Promise<Traces | undefined> {
  const opened = await around.openTracer?.(config, logger);
  if (opened === undefined) return undefined;
  const { tracer } = opened;
  const projection = new ProjectionTraces(tracer, around.machine.time);
  // An API beside workers feeds no view: it remembers no append.
  const isFed = config.role !== 'api';
  return {
    tracer,
    appends: new AppendTraces(tracer, (position, span) => {
      if (isFed) projection.appended(position, span);
    }),
    fed: (batch) => projection.fed(batch),
    async close() {
      projection.close();
      await opened.close();
    },
  };
}

type OpenMailer = (clock: Clock, logger: Logger) => Promise<Mailer>;

/** Traces the mails that a mailer hands over, if anybody traces. */
export function openTracedMailer(open: OpenMailer, tracer: Tracer | undefined): OpenMailer {
  if (tracer === undefined) return open;
  return async (clock, logger) => new TracedMailer(await open(clock, logger), tracer);
}
