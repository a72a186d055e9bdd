import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError } from '#kernel';
import { presentCall } from './call-deadline.js';
import type { Span, SpanContext, SpanStart, Tracer } from '../ports/tracer.js';

const spans = new AsyncLocalStorage<Span>();

/** The span of the work that is being done; undefined if nobody traces it. */
export function presentSpan(): Span | undefined {
  return spans.getStore() ?? presentCall()?.span;
}

/** Does work for a span: what it begins belongs to that span. */
export function withSpan<T>(span: Span, work: () => T): T {
  return spans.run(span, work);
}

/** Does work in a span of its own, which belongs to the present one unless `how` names another. */
export async function traced<T>(
  tracer: Tracer,
  name: string,
  how: SpanStart,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracer.start(name, { parent: presentSpan()?.context, ...how });
  let failure: string | undefined;
  try {
    return await withSpan(span, () => work(span));
  } catch (error) {
    if (error instanceof DomainError) span.set('holdfast.refusal', error.code);
    else failure = nameOf(error);
    throw error;
  } finally {
    span.end(failure);
  }
}

/** What a span says of an error: its kind. Its message may name what nobody should read in a trace. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

/** The header `traceparent` that says for which span a call is made (W3C Trace Context). */
export function traceparentOf({ traceId, spanId, sampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}
