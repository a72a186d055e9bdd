import type { Instant } from '#kernel';

/** What names a span to others: W3C Trace Context. */
export interface SpanContext {
  /** 32 digits of lower-case hex. */
  readonly traceId: string;
  /** 16 digits of lower-case hex. */
  readonly spanId: string;
  /** Whether the trace is recorded. */
  readonly sampled: boolean;
  /** Whether another process made it: then the sampler decides about its trace here. */
  readonly remote?: true;
}

/** What a span says of itself: counts, codes and names of ours. Never an id of a person, a secret, or what a caller sent. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A span that begins. */
export interface SpanStart {
  /** `server`: a call that came in; `client`: a call to another service; any other span is `internal`. */
  readonly kind?: 'server' | 'client' | 'internal' | undefined;
  /** The span that it belongs to; without one, it begins a trace. */
  readonly parent?: SpanContext | undefined;
  readonly links?: readonly SpanContext[] | undefined;
  readonly attributes?: SpanAttributes | undefined;
  /** When it began, by the machine's clock; now, if it is absent. */
  readonly began?: Instant | undefined;
}

/** Something that takes time, and is shown in a trace. */
export interface Span {
  readonly context: SpanContext;
  set(name: string, value: string | number | boolean): void;
  /** Names another span that has to do with this one. */
  link(to: SpanContext): void;
  /**
   * Ends it, once.
   * @param failure what failed: a code or the name of an error, never its message
   * @param at the machine's clock; now, if it is absent
   */
  end(failure?: string, at?: Instant): void;
}

/** Makes spans. A process that exports no traces has none: then nothing of this costs anything. */
export interface Tracer {
  /** Never throws and never waits. */
  start(name: string, how?: SpanStart): Span;
}
