import { categoryOf, type Position } from '#kernel';
import type { Append, AppendResult } from '../ports/event-log.js';
import type { Span, SpanContext, Tracer } from '../ports/tracer.js';
import { nameOf } from '../scheduling/present-span.js';
import type { OwnedEvent } from './command.js';

/**
 * Shows appends in traces. One append serves many commands: its span belongs to the first of them that is traced, and the spans
 * of the others have links to it.
 */
export class AppendTraces {
  constructor(
    private readonly tracer: Tracer,
    /** Learns which span wrote up to a position. */
    private readonly wrote: (position: Position, span: SpanContext) => void,
  ) {}

  /** Appends, in a span of its own if any of its commands is traced. */
  async around(
    owned: readonly OwnedEvent[],
    list: readonly [Append, ...Append[]],
    append: () => Promise<readonly AppendResult[]>,
  ): Promise<readonly AppendResult[]> {
    const span = this.#begin(owned, list);
    if (span === undefined) return append();
    let failure: string | undefined;
    try {
      const results = await append();
      const [decision] = results;
      span.set('holdfast.append.result', decision?.kind ?? 'unknown');
      const last = lastOf(results);
      if (last !== undefined) {
        span.set('holdfast.position', Number(last));
        this.wrote(last, span.context);
      }
      return results;
    } catch (error) {
      failure = nameOf(error);
      throw error;
    } finally {
      span.end(failure);
    }
  }

  #begin(owned: readonly OwnedEvent[], list: readonly [Append, ...Append[]]): Span | undefined {
    const pending = new Set(owned.map(({ owner }) => owner.pending));
    const spans = new Set<Span>();
    for (const { span } of pending) if (span?.context.sampled === true) spans.add(span);
    const [first, ...others] = spans;
    if (first === undefined) return undefined;
    const span = this.tracer.start('append', {
      parent: first.context,
      attributes: {
        'holdfast.stream.kind': categoryOf(list[0].stream),
        'holdfast.commands': pending.size,
        'holdfast.streams': list.length,
        'holdfast.events': list.reduce((sum, { events }) => sum + events.length, 0),
      },
    });
    for (const other of others) other.link(span.context);
    return span;
  }
}

/** The last position that was written; undefined if none was. */
function lastOf(results: readonly AppendResult[]): Position | undefined {
  let last: Position | undefined;
  for (const result of results)
    if (result.kind === 'written' && (last === undefined || result.position > last)) last = result.position;
  return last;
}
