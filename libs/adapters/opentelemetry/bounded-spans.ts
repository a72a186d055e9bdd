import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { ExportWatch } from './export-watch.js';

type Export = SpanExporter['export'];

/** The code of a failed export, as `ExportResultCode` has it. */
const FAILED = 1;
/** Spans of one export. */
const TOGETHER = 1_024;
/** Milliseconds after which fewer spans are exported, too. */
const AT_LEAST_EVERY = 1_000;

/** Keeps a bounded number of ended spans until they are exported, and counts those that are lost. */
export class BoundedSpans {
  readonly #batches: BatchSpanProcessor;
  #waiting = 0;

  /** @param most spans that wait; further ones are dropped */
  constructor(
    private readonly exporter: SpanExporter,
    private readonly watch: ExportWatch,
    private readonly most: number,
  ) {
    this.#batches = new BatchSpanProcessor({
      exporter: { export: (spans, done) => this.#export(spans, done), shutdown: () => exporter.shutdown() },
      maxQueueSize: most,
      maxExportBatchSize: Math.min(TOGETHER, most),
      scheduledDelayMillis: AT_LEAST_EVERY,
    });
  }

  take(span: ReadableSpan): void {
    if (this.#waiting >= this.most) {
      this.watch.lost(1, `${this.most} spans wait: the collector is too slow`);
      return;
    }
    this.#waiting += 1;
    this.#batches.onEnd(span);
  }

  /** Sends what waits. */
  close(): Promise<void> {
    return this.#batches.shutdown();
  }

  #export(spans: ReadableSpan[], done: Parameters<Export>[1]): void {
    this.#waiting -= spans.length;
    try {
      this.exporter.export(spans, (result) => {
        if (result.error === undefined) this.watch.exported();
        else this.watch.lost(spans.length, reasonOf(result.error));
        done(result);
      });
    } catch (error) {
      this.watch.lost(spans.length, reasonOf(error));
      done({ code: FAILED, error: error as Error });
    }
  }
}

/** Why an export failed, without anything that the collector said: that may be long, and may repeat a secret. */
function reasonOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code === 'number') return `the collector answers ${code}`;
  return typeof code === 'string' ? `the collector does not answer: ${code}` : 'the collector does not take them';
}
