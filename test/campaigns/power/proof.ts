import type { Call } from './strace.js';

/** A success that a caller received, and what the log must have had on disk by then. */
export interface Yes {
  /** The header of the answer by which the trace finds it. */
  readonly requestId: string;
  /** The decision's event type, and how its data begins. */
  readonly event: string;
  readonly data: string;
}

/** The evidence for one answer: places in the trace. */
export interface Proof {
  readonly requestRead: number;
  readonly firstWrite: number;
  readonly lastWrite: number;
  readonly syncBegan: number;
  readonly syncReturned: number;
  readonly answerBegan: number;
}

const WRITES = ['pwrite64', 'pwritev', 'pwritev2', 'write', 'writev'];
const SENDS = ['write', 'writev', 'sendto', 'sendmsg'];
const READS = ['read', 'readv', 'recvfrom', 'recvmsg'];
const SYNCS = ['fdatasync', 'fsync'];

/** A trace, read for the syncs of one log. */
export class PowerTrace {
  readonly #walWrites: readonly Call[];
  readonly #walSyncs: readonly Call[];
  /** Every successful answer to a call that may write, by its Request-Id: where its first byte began to leave. */
  readonly successes: ReadonlyMap<string, Call>;

  constructor(
    private readonly calls: readonly Call[],
    wal: string,
  ) {
    this.#walWrites = calls.filter(({ name, file }) => file === wal && WRITES.includes(name));
    this.#walSyncs = calls.filter(({ name, file, result }) => file === wal && SYNCS.includes(name) && result === 0);
    this.successes = this.#findSuccesses();
  }

  #findSuccesses(): ReadonlyMap<string, Call> {
    const found = new Map<string, Call>();
    for (const call of this.calls) {
      if (!SENDS.includes(call.name) || !/HTTP\/1\.1 2\d\d /.test(call.text)) continue;
      const id = /request-id: (\S+)/i.exec(call.text)?.[1];
      const request = this.#requestOf(call);
      if (id !== undefined && request !== undefined && /"(POST|PUT|DELETE) /.test(request.text)) found.set(id, call);
    }
    return found;
  }

  /** Syncs of the log's WAL that returned before this place, the earliest first. */
  syncsBefore(place: number): readonly Call[] {
    return this.#walSyncs.filter(({ returned }) => returned < place);
  }

  /** How many bytes were written to the WAL before this place. */
  bytesBefore(place: number): number {
    return this.#walWrites.filter(({ returned }) => returned < place).reduce((sum, { result }) => sum + result, 0);
  }

  /** Whether a page with this event was written to the WAL after this place. */
  wroteAfter(place: number, { event, data }: Pick<Yes, 'event' | 'data'>): boolean {
    return this.#walWrites.some(({ began, text }) => began > place && holds(text, event, data));
  }

  /**
   * Finds the commit of an answer: the first write to the WAL, after its request was read, of a page with its event. One thread
   * writes the WAL, and SQLite writes all pages of a transaction before it syncs: so the commit's writes go from that thread's
   * sync before to its sync after.
   * @throws Error that names the missing link of the chain
   */
  proofOf(yes: Yes): Proof {
    const answer = this.successes.get(yes.requestId);
    if (answer === undefined) throw new Error(`no answer ${yes.requestId} in the trace`);
    const request = this.#requestOf(answer);
    if (request === undefined) throw new Error(`no request of ${yes.requestId} in the trace`);
    const write = this.#walWrites.find(
      ({ began, text }) => began > request.returned && holds(text, yes.event, yes.data),
    );
    if (write === undefined) throw new Error(`${yes.event} of ${yes.requestId} was not written after its request`);
    const sync = this.#walSyncs.find(({ began, thread }) => thread === write.thread && began > write.returned);
    if (sync === undefined) throw new Error(`nobody synced the commit of ${yes.requestId}`);
    const before = this.#walSyncs.findLast(({ returned }) => returned < write.began)?.returned ?? -1;
    const commit = this.#walWrites.filter(({ began }) => began > before && began < sync.began);
    return {
      requestRead: request.returned,
      firstWrite: write.began,
      lastWrite: Math.max(...commit.map(({ returned }) => returned)),
      syncBegan: sync.began,
      syncReturned: sync.returned,
      answerBegan: answer.began,
    };
  }

  /** The request of an answer: the last one read from its socket before. */
  #requestOf(answer: Call): Call | undefined {
    return this.calls.findLast(
      ({ name, file, text, returned }) =>
        file === answer.file &&
        returned < answer.began &&
        READS.includes(name) &&
        /"(GET|POST|PUT|DELETE) [^"]* HTTP\/1\.1/.test(text),
    );
  }
}

/** Whether a page of the log holds a row: its columns come one after another, the type before the data. */
function holds(page: string, event: string, data: string): boolean {
  for (let at = page.indexOf(data); at >= 0; at = page.indexOf(data, at + 1)) {
    const type = page.lastIndexOf(event, at);
    // Between the two there is a time in bytes, which may be any. Data that begin there would be another row's.
    if (type >= 0 && !/\{"\w+":/.test(page.slice(type, at))) return true;
  }
  return false;
}
