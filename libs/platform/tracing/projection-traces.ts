import type { FedBatch, SpanContext, Time, Tracer } from '#eventsourcing';
import type { Instant, Position } from '#kernel';

/** The appends that are remembered until the views have them. */
const REMEMBERED = 10_000;
/** The appends that the span of a batch names; it counts the others. */
const MOST_LINKS = 128;
/** Milliseconds that a batch waits for the answers of the appends in it: the views may have an event before its writer knows. */
const SETTLE = 200;

/** The span of an append, and the last position that it wrote. */
interface TracedAppend {
  readonly position: Position;
  readonly span: SpanContext;
}

/**
 * Shows the batches of the projector in traces, with links to the appends in them. It knows the appends of this process alone:
 * the log holds no trace (docs/decisions/24-the-log-holds-no-trace.md).
 */
export class ProjectionTraces {
  /** In the order of their answers. */
  #appends: TracedAppend[] = [];
  /** The batches that wait: each shows itself. */
  readonly #waiting = new Set<() => void>();

  constructor(
    private readonly tracer: Tracer,
    private readonly time: Time,
  ) {}

  /** Notes that an append wrote up to a position. */
  appended(position: Position, span: SpanContext): void {
    this.#appends.push({ position, span });
    // Cut seldom: each cut moves all that stay.
    if (this.#appends.length >= 2 * REMEMBERED) this.#appends.splice(0, REMEMBERED);
  }

  /** Shows a batch that has just ended. */
  fed(batch: FedBatch): void {
    const ended = this.time.wall();
    const show = (): void => {
      if (this.#waiting.delete(show)) this.#show(batch, ended);
    };
    this.#waiting.add(show);
    this.time.after(SETTLE, show).unref();
  }

  /** Shows at once what still waits. */
  close(): void {
    for (const show of this.#waiting) show();
  }

  #show({ after, upTo, events, views, took }: FedBatch, ended: Instant): void {
    const [reached, left] = [this.#appends.filter(isUpTo(upTo)), this.#appends.filter((each) => !isUpTo(upTo)(each))];
    // No later batch has them.
    this.#appends = left;
    const appends = reached.filter(({ position }) => position > after);
    const span = this.tracer.start('projection', {
      links: appends.slice(0, MOST_LINKS).map((append) => append.span),
      attributes: {
        'holdfast.events': events,
        'holdfast.views': views,
        'holdfast.appends': appends.length,
        'holdfast.position.after': Number(after),
        'holdfast.position': Number(upTo),
      },
      began: ended - took,
    });
    span.end(undefined, ended);
  }
}

const isUpTo =
  (upTo: Position) =>
  ({ position }: TracedAppend): boolean =>
    position <= upTo;
