import type { Logger } from 'pino';
import type { Machine, Tracer } from '#eventsourcing';
import { BUILD } from '../build.js';
import type { Config } from '../config.js';

/** What exports the traces of a process. */
export interface OpenedTracer {
  readonly tracer: Tracer;
  /** Sends what still waits, within a bound. */
  close(): Promise<void>;
}

/** Opens what exports traces, if a setting names a collector. Nothing of it is loaded otherwise. */
export async function openTracer(
  { traces, role }: Config,
  machine: Machine,
  logger: Logger,
): Promise<OpenedTracer | undefined> {
  if (traces === undefined) return undefined;
  const { openExport } = await import('#adapters/opentelemetry');
  return openExport({
    ...traces,
    version: BUILD.version,
    role,
    machine,
    trouble: (reason, dropped) =>
      reason === undefined
        ? logger.warn({ dropped }, 'traces are exported again')
        : logger.warn({ reason, dropped }, 'traces cannot be exported and are dropped; nothing else depends on them'),
  });
}
