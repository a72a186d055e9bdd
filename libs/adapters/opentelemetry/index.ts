// Traces to a collector by OTLP. It loads OpenTelemetry: import it only where traces are configured.
export * from './open-export.js';
export type { Sampling } from './samplers.js';
