import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import type { Machine, Tracer } from '#eventsourcing';
import { BoundedSpans } from './bounded-spans.js';
import { ExportWatch, type ExportTrouble } from './export-watch.js';
import { samplerOf, type Sampling } from './samplers.js';
import { ExportedTracer } from './spans.js';

/** The spans that wait for an export: at most about 10 MB. */
const MOST_WAITING = 8_192;
/** Milliseconds that a stop waits for the last spans to be sent. */
const FLUSH = 2_000;

/** What is exported, and for whom. The exporter reads where to, and how, from the environment itself. */
export interface ExportOptions extends Sampling {
  readonly version: string;
  /** What the process does. */
  readonly role: string;
  readonly machine: Pick<Machine, 'time' | 'randomness'>;
  readonly trouble: ExportTrouble;
}

/** Exports spans to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names. */
export function openExport(
  { version, role, machine, trouble, ...sampling }: ExportOptions,
  most = MOST_WAITING,
): { readonly tracer: Tracer; close(): Promise<void> } {
  const { time } = machine;
  const watch = new ExportWatch(time, trouble);
  // What the collector says of spans that it took in part. Errors are seen where they happen.
  diag.setLogger(
    { ...SILENT, warn: () => watch.lost(0, 'the collector answers something else than that it took all of them') },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const resource = resourceFromAttributes({
    'service.name': 'holdfast',
    'service.version': version,
    'process.pid': process.pid,
    'holdfast.role': role,
  }).merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
  const spans = new BoundedSpans(new OTLPTraceExporter(), watch, most);
  return {
    tracer: new ExportedTracer(machine, {
      resource,
      instrumentationScope: { name: 'holdfast', version },
      sampler: samplerOf(sampling),
      ended: (span) => spans.take(span),
    }),
    async close() {
      const failed = (): void => undefined;
      await Promise.race([spans.close().catch(failed), time.pause(FLUSH, { ref: false })]);
      diag.disable();
    },
  };
}

const nothing = (): void => undefined;
const SILENT = { error: nothing, info: nothing, debug: nothing, verbose: nothing };
