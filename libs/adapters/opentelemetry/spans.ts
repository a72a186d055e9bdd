import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Context,
  type Span as OtelSpan,
  type SpanContext as OtelContext,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import type { Span, SpanContext, SpanStart, Tracer } from '#eventsourcing';
import type { Instant } from '#kernel';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** Makes spans of OpenTelemetry. */
export class ExportedTracer implements Tracer {
  constructor(private readonly tracer: OtelTracer) {}

  start(name: string, { kind = 'internal', parent, links, attributes, began }: SpanStart = {}): Span {
    const span = this.tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        ...(attributes !== undefined && { attributes }),
        ...(links !== undefined && { links: links.map((link) => ({ context: contextOf(link) })) }),
        ...(began !== undefined && { startTime: began }),
      },
      parent === undefined ? ROOT_CONTEXT : within(parent),
    );
    return new ExportedSpan(span);
  }
}

class ExportedSpan implements Span {
  readonly context: SpanContext;

  constructor(private readonly span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.context = { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
  }

  set(name: string, value: string | number | boolean): void {
    this.span.setAttribute(name, value);
  }

  link(to: SpanContext): void {
    this.span.addLink({ context: contextOf(to) });
  }

  end(failure?: string, at?: Instant): void {
    if (failure !== undefined) {
      this.span.setAttribute('error.type', failure);
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end(at);
  }
}

function contextOf({ traceId, spanId, sampled }: SpanContext): OtelContext {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE };
}

function within(parent: SpanContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
}
