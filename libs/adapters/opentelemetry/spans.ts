import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace, type SpanStatus } from '@opentelemetry/api';
import { SamplingDecision, type ReadableSpan, type Sampler } from '@opentelemetry/sdk-trace';
import type { Machine, Span, SpanAttributes, SpanContext, SpanStart, Tracer } from '#eventsourcing';
import { SECOND, type Instant } from '#kernel';

type OtelContext = ReturnType<ReadableSpan['spanContext']>;
type HrTime = ReadableSpan['startTime'];

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
/** Milliseconds by which the times of spans may differ from the machine's clock, which may leap. */
const APART = 10;
const NONE: readonly never[] = [];

/** What all spans of a process have. */
interface Origin extends Pick<ReadableSpan, 'resource' | 'instrumentationScope'> {
  readonly sampler: Sampler;
  /** Takes a span that has ended. */
  readonly ended: (span: ReadableSpan) => void;
}

/**
 * Makes spans as exporters read them. The library's own would check what is known here, name by name, and cost a third more processor
 * time in all.
 */
export class ExportedTracer implements Tracer {
  /** Added to the monotonic clock, it is the machine's: so a span never ends before one that it contains. */
  #apart: number;

  constructor(
    private readonly machine: Pick<Machine, 'time' | 'randomness'>,
    private readonly origin: Origin,
  ) {
    this.#apart = this.#wallApart();
  }

  start(name: string, how: SpanStart = {}): Span {
    const { randomness, time } = this.machine;
    const { parent } = how;
    if (parent === undefined && Math.abs(time.wall() - this.now()) > APART) this.#apart = this.#wallApart();
    const traceId = parent?.traceId ?? randomness.hex(16);
    const context = { traceId, spanId: randomness.hex(8), sampled: this.#samples(name, traceId, how) };
    return context.sampled ? new ExportedSpan(name, context, how, this, this.origin) : new UnrecordedSpan(context);
  }

  /** Milliseconds since 1970, with a fraction. */
  now(): number {
    return this.machine.time.monotonic() + this.#apart;
  }

  #wallApart(): number {
    const { time } = this.machine;
    return time.wall() - time.monotonic();
  }

  /** A trace is recorded as a whole: only where it comes in, or begins, the sampler decides. */
  #samples(name: string, traceId: string, { parent, kind = 'internal', attributes = {} }: SpanStart): boolean {
    if (parent !== undefined && parent.remote !== true) return parent.sampled;
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
    const { decision } = this.origin.sampler.shouldSample(context, traceId, name, KINDS[kind], attributes, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  }
}

/** A span of a trace that nobody records. */
class UnrecordedSpan implements Span {
  constructor(readonly context: SpanContext) {}

  set(): void {
    // Nobody reads it.
  }

  link(): void {
    // Nobody reads it.
  }

  end(): void {
    // Nobody reads it.
  }
}

class ExportedSpan implements Span, ReadableSpan {
  readonly kind: SpanKind;
  readonly startTime: HrTime;
  readonly attributes: Record<string, SpanAttributes[string]>;
  readonly links: ReadableSpan['links'];
  readonly events = [...NONE];
  readonly droppedAttributesCount = 0;
  readonly droppedEventsCount = 0;
  readonly droppedLinksCount = 0;
  endTime: HrTime = [0, 0];
  status: SpanStatus = { code: SpanStatusCode.UNSET };
  ended = false;
  readonly #parent: SpanContext | undefined;
  readonly #began: number;

  constructor(
    readonly name: string,
    readonly context: SpanContext,
    { kind = 'internal', parent, links = NONE, attributes, began }: SpanStart,
    private readonly tracer: ExportedTracer,
    private readonly origin: Origin,
  ) {
    this.kind = KINDS[kind];
    this.#parent = parent;
    this.#began = began ?? tracer.now();
    this.startTime = hrTimeOf(this.#began);
    this.attributes = { ...attributes };
    this.links = links.map((link) => ({ context: contextOf(link) }));
  }

  get resource(): ReadableSpan['resource'] {
    return this.origin.resource;
  }

  get instrumentationScope(): ReadableSpan['instrumentationScope'] {
    return this.origin.instrumentationScope;
  }

  get parentSpanContext(): OtelContext | undefined {
    return this.#parent && contextOf(this.#parent);
  }

  get duration(): HrTime {
    const [seconds, nanoseconds] = [this.endTime[0] - this.startTime[0], this.endTime[1] - this.startTime[1]];
    return nanoseconds < 0 ? [seconds - 1, nanoseconds + 1e9] : [seconds, nanoseconds];
  }

  spanContext(): OtelContext {
    return contextOf(this.context);
  }

  set(name: string, value: SpanAttributes[string]): void {
    this.attributes[name] = value;
  }

  link(to: SpanContext): void {
    this.links.push({ context: contextOf(to) });
  }

  end(failure?: string, at: Instant = this.tracer.now()): void {
    if (this.ended) return;
    this.ended = true;
    this.endTime = hrTimeOf(Math.max(at, this.#began));
    if (failure !== undefined) {
      this.attributes['error.type'] = failure;
      this.status = { code: SpanStatusCode.ERROR };
    }
    this.origin.ended(this);
  }
}

function contextOf({ traceId, spanId, sampled, remote }: SpanContext): OtelContext {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: remote === true };
}

/** Seconds, and nanoseconds beside them. */
function hrTimeOf(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / SECOND);
  // Rounded down, so that it is less than a second.
  return [seconds, Math.floor((milliseconds - seconds * SECOND) * 1e6)];
}
