import { everything, type EventLogReader, type Time, Unavailable, type ViewReaders } from '#eventsourcing';
import { addChecked, type Checked, type Fault, FAULTS, nothingChecked } from '#eventsourcing/verify';
import type { Position } from '#kernel';
import { views } from '../registry.js';
import type { AuditJob } from './audit-pass.js';
import type { LedgerCharges } from './charge-check.js';
import type { AuditThreadData, RunningAudit, StartAudit } from './audit-thread.js';
import type { LedgerAudit } from './ledger-audit.js';

/** Rows that all threads together hold at a time, about a kilobyte each; more are compared in several ways through the log. */
const ROWS_AT_ONCE = 600_000;
/** Bytes that folded streams hold, in each thread. */
const BYTES = 64 * 1024 * 1024;
/** Threads at most. */
const MOST_THREADS = 4;
/** Faults that are told one by one; others are counted. */
const MOST_TOLD = 1_000;
/** Milliseconds between two looks how far the threads are. */
const TELL_EVERY = 250;

/** A line of the answer. */
export type VerificationLine =
  | { readonly progress: { readonly events: number; readonly of: number; readonly findings: number } }
  | { readonly finding: Fault & { readonly means: string } }
  | { readonly end: VerificationEnd };

/** What was checked, and what was not. */
export interface VerificationEnd extends Checked {
  /** The position up to which the log was checked, in digits. */
  readonly position: string;
  readonly findings: number;
  readonly seconds: number;
  /** Views that were not compared, each with the reason. */
  readonly not_compared: readonly { readonly view: string; readonly reason: string }[];
  /** How many lines of the gateway's ledger were compared; null if it was not asked. */
  readonly ledger_lines: number | null;
}

/** What a verification needs. */
export interface VerificationParts {
  readonly start: StartAudit | undefined;
  readonly data: Omit<AuditThreadData, 'share'>;
  readonly log: Pick<EventLogReader, 'head'>;
  readonly readers: ViewReaders;
  readonly ledger: LedgerAudit;
  /** The gateway's name in events. */
  readonly gateway: string;
  readonly time: Time;
  /** Processors that it may use. */
  readonly processors: number;
}

/** Checks the whole log at once, in several threads. One runs at a time. */
export class Verification {
  #runs = false;

  constructor(private readonly parts: VerificationParts) {}

  /**
   * Checks the log up to its present end.
   * @param signal ends it early
   * @throws Unavailable if another one runs
   */
  async *run(signal: AbortSignal): AsyncGenerator<VerificationLine, void, void> {
    if (this.#runs) throw new Unavailable('the log is being verified for somebody else', 30);
    const { start } = this.parts;
    if (start === undefined) throw new Unavailable('this process cannot verify the log', 30);
    this.#runs = true;
    const over = new AbortController();
    try {
      yield* this.#run(start, AbortSignal.any([signal, over.signal]));
    } finally {
      // Ends the threads, if its caller has left.
      over.abort();
      this.#runs = false;
    }
  }

  async *#run(start: StartAudit, signal: AbortSignal): AsyncGenerator<VerificationLine, void, void> {
    const { log, readers, time, ledger, gateway, data, processors } = this.parts;
    const began = time.monotonic();
    const until = await log.head();
    const threads = Math.max(1, Math.min(processors, MOST_THREADS));
    const told: Fault[] = [];
    let faults = 0;
    const fault = (each: Fault): void => {
      faults += 1;
      if (faults <= MOST_TOLD) told.push(each);
    };
    const read = await ledger.compare(fault, signal);
    const charges = read && { charges: read.charges, gateway, until };
    const tasks = tasksFor(until, threads, await sizeOf(readers), charges);
    const all = Number(until) * tasks.length;
    const checked = nothingChecked();
    const without: Record<string, string> = {};
    const sizes = new Map<string, number>();
    const at: Position[] = tasks.map(() => 0n);
    const working = Array.from({ length: threads }, async () => {
      let task = -1;
      const progress = (position: Position): void => void (at[task] = position);
      const thread: RunningAudit = start({ ...data, share: 1 }, { fault, found: () => undefined, progress }, time);
      const leave = (): void => void thread.close();
      signal.addEventListener('abort', leave, { once: true });
      try {
        for (let next = takeTask(tasks); next !== undefined && !signal.aborted; next = takeTask(tasks)) {
          task = next.index;
          const result = await thread.run(next.job);
          at[task] = until;
          addChecked(checked, { ...result.checked, events: next.job.order ? result.checked.events : 0 });
          Object.assign(without, result.without);
          for (const [view, size] of result.sizes) sizes.set(view, (sizes.get(view) ?? 0) + size);
        }
      } finally {
        signal.removeEventListener('abort', leave);
        await thread.close();
      }
    });
    const over = new AbortController();
    const done = Promise.all(working).finally(() => over.abort());
    done.catch(() => undefined);
    while (!over.signal.aborted && !signal.aborted) {
      await time.pause(TELL_EVERY, { signal: AbortSignal.any([over.signal, signal]) });
      for (const each of told.splice(0)) yield lineOf(each);
      const events = at.reduce((sum, position) => sum + Number(position), 0);
      yield { progress: { events, of: all, findings: faults } };
    }
    if (signal.aborted) return;
    await done;
    if ((await log.head()) === until) await compareSizes(readers, sizes, without, fault);
    for (const each of told.splice(0)) yield lineOf(each);
    yield {
      end: {
        ...checked,
        position: until.toString(),
        findings: faults,
        seconds: Math.round(time.monotonic() - began) / 1_000,
        not_compared: Object.entries(without).map(([view, reason]) => ({ view, reason })),
        ledger_lines: read?.lines ?? null,
      },
    };
  }
}

const lineOf = (fault: Fault): VerificationLine => ({ finding: { ...fault, means: FAULTS[fault.kind] } });

interface Task {
  readonly index: number;
  readonly job: AuditJob;
}

const takeTask = (tasks: (Task | undefined)[]): Task | undefined => {
  const at = tasks.findIndex((task) => task !== undefined);
  const task = tasks[at];
  if (at >= 0) tasks[at] = undefined;
  return task;
};

/** Streams and rows in parts, for so many threads; each part is one way through the log. */
function tasksFor(
  until: Position,
  threads: number,
  rows: number,
  ledger: LedgerCharges | undefined,
): (Task | undefined)[] {
  const common = { after: 0n, until, bytes: BYTES };
  const ofStreams = Math.max(1, Math.ceil(threads / 2));
  const ofRows = Math.max(
    Math.floor(threads / 2),
    Math.ceil((rows * Math.max(1, Math.floor(threads / 2))) / ROWS_AT_ONCE),
    1,
  );
  const streams = Array.from({ length: ofStreams }, (_, index) => ({
    ...common,
    order: index === 0,
    streams: { index, of: ofStreams },
    ...(index === 0 && ledger !== undefined && { ledger }),
  }));
  const ofViews = Array.from({ length: ofRows }, (_, index) => ({
    ...common,
    order: false,
    rows: { index, of: ofRows },
  }));
  return [...streams, ...ofViews].map((job, index) => ({ index, job }));
}

/** How many rows all views have. */
async function sizeOf(readers: ViewReaders): Promise<number> {
  let rows = 0;
  for (const view of views) rows += (await countOf(readers, view)) ?? 0;
  return rows;
}

const countOf = (readers: ViewReaders, view: (typeof views)[number]): Promise<number | undefined> =>
  readers
    .reader(view)
    .count(everything)
    .catch(() => undefined);

/** Reports views that have more rows than the events lead to; those that they lack are reported one by one. */
async function compareSizes(
  readers: ViewReaders,
  sizes: ReadonlyMap<string, number>,
  without: Readonly<Record<string, string>>,
  fault: (fault: Fault) => void,
): Promise<void> {
  for (const view of views) {
    const [folded, stored] = [sizes.get(view.name), await countOf(readers, view)];
    if (folded === undefined || stored === undefined || stored <= folded || view.name in without) continue;
    const what = `${stored - folded} rows that no event leads to`;
    fault({ kind: 'row', where: view.name, position: null, what });
  }
}
