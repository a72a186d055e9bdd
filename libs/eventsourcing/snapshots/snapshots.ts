import { deserialize, serialize } from 'node:v8';
import { type AnyDecider, categoryOf, idOf, namedOnce, type Position } from '#kernel';
import type { Finding } from '../ports/finding.js';
import type { DecisionGuard } from '../ports/decision-guard.js';
import type { EventLogReader } from '../ports/event-log.js';
import type { Snapshot, SnapshotName, SnapshotStore } from '../ports/snapshot-store.js';
import type { Time } from '../ports/time.js';
import { Slices } from '../scheduling/slices.js';
import { checksumOf } from './checksum.js';
import { missingEventFinding } from './missing-event.js';
import { type SnapshotTail, weightOf } from './snapshot-tail.js';

/** Milliseconds that a load waits for a snapshot. After that it reads the stream from its beginning. */
const READ_WITHIN = 1_000;
/** Milliseconds without new snapshots after one that could not be written. */
const REST = 60_000;
/** Milliseconds between two streams whose snapshots are made anew after an upgrade. */
const BETWEEN = 250;
/** The most streams that wait for their snapshot. Others come again with their next events. */
const MOST_WAITING = 100;
/** After more events than this since the last snapshot, another one is due. */
const EVERY = 4_000;
/** A stream’s next snapshot waits this many times as long as the last one took, so that a hot deal with many open holds can sell. */
const RESTS = 20;
/** At a stop, a stream gets a snapshot if it has had more than this part of them: a load reads fewer in no time. */
const LAST_PART = 16;
/** Milliseconds in which a stop makes snapshots. */
const LAST_WITHIN = 2_000;

/** A decider, and the digest of its fold, in hex digits. */
export interface Fold {
  readonly decider: AnyDecider;
  readonly digest: string;
}

/** A stream as its owner knows it: what a snapshot is made of, and what it is given to. */
export interface SnapshottedStream {
  readonly stream: string;
  readonly decider: AnyDecider;
  readonly revision: number;
  readonly state: unknown;
  /** What came after its last snapshot; undefined if it has none. */
  readonly tail: SnapshotTail | undefined;
  /** Takes the state of a snapshot: what comes after it is read next. */
  restore(state: unknown, snapshot: Snapshot): void;
}

/** What snapshots need from their process. */
export interface SnapshotOptions {
  readonly store: SnapshotStore;
  /** The deciders whose streams have snapshots, and the digest of everything that their fold consists of in this build. */
  readonly folds: readonly Fold[];
  /** The events after which a snapshot is due; usually 4 000. */
  readonly every?: number;
  /** Whether an operator accepted that the log lacks what a snapshot has seen. */
  readonly isLossAccepted?: (finding: Finding, seen: Position) => boolean;
  /** Hears of a snapshot that could not be written, or that makes no state. */
  readonly failed?: (error: unknown) => void;
}

/**
 * Makes snapshots of large states, and begins loads with them. They are a cache: the log alone is the truth. One is made off the
 * path of decisions, in slices, one after another.
 */
export class Snapshots {
  readonly #every: number;
  readonly #folds: ReadonlyMap<string, Fold>;
  readonly #waiting = new Set<SnapshottedStream>();
  #work: Promise<void> | undefined;
  #restsUntil = -Infinity;
  #closed = false;

  constructor(
    private readonly options: SnapshotOptions & {
      readonly log: Pick<EventLogReader, 'identity' | 'readStream' | 'eventAt'>;
      readonly guard: Pick<DecisionGuard, 'open' | 'refuses' | 'passed' | 'heed' | 'refuseAfterCheck'>;
      readonly time: Time;
    },
  ) {
    this.#every = options.every ?? EVERY;
    this.#folds = namedOnce('folds', options.folds, ({ decider }) => decider.category);
  }

  /** The events after which a stream of this decider has a snapshot due; undefined if it has none. */
  everyOf({ snapshot, category }: AnyDecider): number | undefined {
    return snapshot !== undefined && this.#folds.has(category) ? this.#every : undefined;
  }

  /**
   * Gives a stream of which nothing is known the state of its snapshot, if that can be used. It is no proof of the events before:
   * the log must still have the stream’s first event, and the snapshot’s last one.
   * @throws Unavailable if the log lacks what the snapshot has seen
   */
  async restore(entry: SnapshottedStream): Promise<void> {
    const name = this.#nameOf(entry);
    const snapshot = name && (await this.#within(READ_WITHIN, this.options.store.get(name)));
    if (snapshot === undefined) return;
    const state = (await this.#isOf(snapshot)) ? await this.#stateOf(entry.decider, snapshot) : undefined;
    if (state !== undefined) entry.restore(state, snapshot);
    // If that fails, the next load finds it again.
    else void this.options.store.delete(snapshot).catch(() => undefined);
  }

  /**
   * Whether a snapshot is whole, and the log has what it has seen.
   * @throws Unavailable if the log lacks it
   */
  async #isOf(snapshot: Snapshot): Promise<boolean> {
    const { log, time } = this.options;
    const { stream, revision } = snapshot;
    if (snapshot.log !== log.identity) return false;
    if ((await checksumOf(snapshot, new Slices(time))) !== snapshot.checksum) return false;
    const [[first], [last]] = await Promise.all([log.readStream(stream, 0, 1), log.readStream(stream, revision, 1)]);
    const isSameStream = first === undefined || first.id === snapshot.first;
    if (last === undefined && isSameStream) await this.#heed(await missingEventFinding(log, snapshot, first), snapshot);
    return first?.id === snapshot.first && last?.id === snapshot.event;
  }

  /** Has a snapshot made of a stream, if one is due. Its caller never waits. */
  offer(entry: SnapshottedStream): void {
    if (this.#closed || !this.#isDue(entry)) return;
    if (this.#waiting.size >= MOST_WAITING) return;
    this.#waiting.add(entry);
    this.#work ??= this.#makeAll().finally(() => (this.#work = undefined));
  }

  /** Makes the snapshots that save the next start the most, as many as a stop has time for. Others end. */
  async close(entries: readonly SnapshottedStream[]): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    const since = ({ tail, revision }: SnapshottedStream): number => tail?.eventsTo(revision) ?? 0;
    let isOver = false;
    const makeLast = async (): Promise<void> => {
      await this.#work;
      for (const entry of entries.toSorted((a, b) => since(b) - since(a))) {
        if (since(entry) <= this.#every / LAST_PART || isOver) return;
        await this.#make(entry);
      }
    };
    await this.#within(LAST_WITHIN, makeLast());
    isOver = true;
  }

  /**
   * Replaces what other builds have left, one stream after another, and removes it.
   * @param load loads a stream
   */
  async renew(load: (decider: AnyDecider, id: string) => Promise<unknown>): Promise<void> {
    const { store, time } = this.options;
    const digests = new Set([...this.#folds.values()].map(({ digest }) => digest));
    for (;;) {
      const others = await store.others(digests, MOST_WAITING);
      if (others.length === 0) return;
      for (const { stream, digest } of others) {
        await time.pause(BETWEEN, { ref: false });
        if (this.#closed) return;
        const fold = this.#folds.get(categoryOf(stream));
        if (fold !== undefined && (await store.get({ stream, digest: fold.digest })) === undefined)
          await load(fold.decider, idOf(stream));
        await store.delete({ stream, digest });
      }
    }
  }

  #isDue({ tail, revision }: SnapshottedStream): boolean {
    if (tail?.isLongAt(revision) !== true) return false;
    const now = this.options.time.monotonic();
    return now >= this.#restsUntil && !tail.rests(now);
  }

  async #makeAll(): Promise<void> {
    const { time, failed } = this.options;
    for (const entry of this.#waiting) {
      await time.turn();
      this.#waiting.delete(entry);
      if (this.#closed) return;
      try {
        if (this.#isDue(entry)) await this.#make(entry);
      } catch (error) {
        this.#restsUntil = time.monotonic() + REST;
        this.#waiting.clear();
        failed?.(error);
      }
    }
  }

  /** Makes a snapshot of a stream’s state as it is now, if the log can be trusted to have it. */
  async #make(entry: SnapshottedStream): Promise<void> {
    const { store, log, guard, time } = this.options;
    const { tail, state, revision, decider } = entry;
    const name = this.#nameOf(entry);
    if (name === undefined || tail?.first === undefined || tail.last?.revision !== revision) return;
    if (!guard.open || guard.refuses(entry.stream)) return;
    const { first, characters } = tail;
    const { position, id: event } = tail.last;
    tail.isMaking = true;
    try {
      const began = time.monotonic();
      const slices = new Slices(time);
      const parts: Uint8Array[] = [];
      for (const part of decider.snapshot?.parts(state) ?? []) {
        parts.push(serialize(part));
        if (slices.isOver) await slices.next();
      }
      const whole = { ...name, log: log.identity, revision, position, event, first, parts };
      const checksum = await checksumOf(whole, slices);
      const ended = time.monotonic();
      await store.put({ ...whole, checksum });
      tail.kept(revision, weightOf(decider, state, parts), characters, ended + RESTS * (ended - began));
    } finally {
      tail.isMaking = false;
    }
  }

  #nameOf({ stream, decider }: SnapshottedStream): SnapshotName | undefined {
    const fold = this.#folds.get(decider.category);
    return fold === undefined || decider.snapshot === undefined ? undefined : { stream, digest: fold.digest };
  }

  /** What the work leads to; undefined if it fails, or is not done after so many milliseconds. */
  async #within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
    const { time } = this.options;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = time.after(milliseconds, () => resolve(undefined));
    return Promise.race([work.catch(() => undefined), promise]).finally(() => time.cancel(timer));
  }

  async #stateOf({ snapshot: form }: AnyDecider, { parts }: Snapshot): Promise<unknown> {
    const slices = new Slices(this.options.time);
    const values: unknown[] = [];
    try {
      for (const part of parts) {
        values.push(deserialize(part));
        if (slices.isOver) await slices.next();
      }
      return form?.from(values);
    } catch (error) {
      // No state has such parts.
      this.options.failed?.(error);
      return undefined;
    }
  }

  /** @throws Unavailable unless an operator has accepted the finding: then the snapshot is not used */
  async #heed(finding: Finding | undefined, { stream, position }: Snapshot): Promise<void> {
    const { guard, isLossAccepted } = this.options;
    if (finding === undefined || isLossAccepted?.(finding, position) === true) return;
    if (finding.stream !== undefined) return guard.heed(finding, stream);
    await guard.refuseAfterCheck(finding);
    await guard.passed(stream);
  }
}
