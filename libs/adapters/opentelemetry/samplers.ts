import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';

/** Which traces are recorded: what `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` say. */
export interface Sampling {
  readonly sampler: keyof typeof SAMPLERS;
  /** The part of the traces that a sampler by ratio records, 0 to 1. */
  readonly ratio: number;
}

/** A sampler that follows the caller records what they record, and decides only about traces that begin here. */
const SAMPLERS = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio: number) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio: number) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
} as const satisfies Readonly<Record<string, (ratio: number) => Sampler>>;

export function samplerOf({ sampler, ratio }: Sampling): Sampler {
  return SAMPLERS[sampler](ratio);
}
