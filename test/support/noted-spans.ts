import type { Span, SpanContext, SpanStart, Tracer } from '#eventsourcing';

/** A span that was begun, and what became of it. */
export interface NotedSpan extends SpanStart {
  readonly name: string;
  readonly context: SpanContext;
  readonly set: Record<string, unknown>;
  readonly linked: SpanContext[];
  ended: { readonly failure: string | undefined; readonly at: number | undefined } | undefined;
}

/** A tracer for specs: it notes every span. */
export class NotedSpans implements Tracer {
  readonly all: NotedSpan[] = [];

  /** @param sampled whether traces that begin here are recorded */
  constructor(private readonly sampled = true) {}

  named(name: string): readonly NotedSpan[] {
    return this.all.filter((span) => span.name === name);
  }

  start(name: string, how: SpanStart = {}): Span {
    const number = (this.all.length + 1).toString(16);
    const { traceId = number.padStart(32, '0'), sampled = this.sampled } = how.parent ?? {};
    const context = { traceId, spanId: number.padStart(16, '0'), sampled };
    const noted: NotedSpan = { ...how, name, context, set: { ...how.attributes }, linked: [], ended: undefined };
    this.all.push(noted);
    return {
      context,
      set: (key, value) => void (noted.set[key] = value),
      link: (to) => void noted.linked.push(to),
      end: (failure, at) => void (noted.ended ??= { failure, at }),
    };
  }
}
