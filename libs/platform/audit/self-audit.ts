import type { Logger } from 'pino';
import {
  type Clock,
  type EventLogReader,
  everything,
  type Finding,
  type KeyValueStore,
  type Time,
  type Timer,
  type ViewReaders,
} from '#eventsourcing';
import { type Fault, FAULTS } from '#eventsourcing/verify';
import { views } from '../registry.js';
import type { AuditThreadData, StartAudit } from './audit-thread.js';
import type { LedgerAudit } from './ledger-audit.js';
import { Pauses } from './pauses.js';
import { type AuditNotes, NO_NOTES, readNotes, writeNotes } from './audit-notes.js';

/** How the self-audit runs. `at-once`: from the start and without rests (for tests). */
export type SelfAuditMode = 'on' | 'off' | 'at-once';

/** The part of a processor that it takes at most. */
const SHARE = 0.05;
/** Milliseconds after a start before it begins: a start has enough to do. */
const BEGINS_AFTER = 60_000;
/** Milliseconds between the end of a pass and the next one. */
const RESTS = 600_000;
/** Milliseconds after a pass that failed. */
const PAUSE = 60_000;
/** The same for tests. */
const SHORT = 200;
/** Milliseconds between two notes how far it is. */
const NOTES_EVERY = 60_000;
/** Bytes that folded streams hold. */
const BYTES = 32 * 1024 * 1024;
/** Rows that it holds, about a kilobyte each. If there are more, each pass compares another part of them. */
const ROWS = 50_000;
/** Faults that it keeps; others are counted. */
const MOST_KEPT = 20;

/** What the self-audit has found, for health and metrics. */
export interface SelfAuditStatus {
  readonly mode: SelfAuditMode;
  /** The last whole pass; undefined before the first one. */
  readonly last: AuditNotes['last'];
  /** How far the present pass is, from 0 to 1; null between passes, and in a process that does not audit. */
  readonly progress: number | null;
  /** What contradicts itself, the first ones. */
  readonly faults: readonly Fault[];
  /** How many there are in all. */
  readonly count: number;
}

/** Counts of this process since its start, for metrics. */
export interface SelfAuditCounters {
  passes: number;
  events: number;
  faults: number;
}

/** What a self-audit needs. */
export interface SelfAuditParts {
  readonly start: StartAudit;
  readonly data: Omit<AuditThreadData, 'share'>;
  readonly log: Pick<EventLogReader, 'head'>;
  readonly readers: ViewReaders;
  readonly keyValues: KeyValueStore;
  readonly ledger: LedgerAudit;
  /** The gateway's name in events. */
  readonly gateway: string;
  /** A stream lacks events, as a load would find: its decisions are refused. */
  readonly found: (finding: Finding) => void;
  readonly logger: Pick<Logger, 'warn' | 'error' | 'info'>;
  readonly time: Time;
  readonly clock: Clock;
  readonly mode: SelfAuditMode;
}

/**
 * Checks the whole log again and again, slowly, in its own thread. What it finds is reported, and refuses no decision, except a
 * gap in a stream: a decision on the remaining events would sell again what the missing ones sold. Everything else contradicts
 * itself in the past, which no decision makes worse, and a wrong alarm must never stop sales.
 */
export class SelfAudit {
  readonly counters: SelfAuditCounters = { passes: 0, events: 0, faults: 0 };
  readonly #logged = new Set<string>();
  #notes: AuditNotes = NO_NOTES;
  #progress: number | null = null;
  #count = 0;

  constructor(private readonly parts: SelfAuditParts) {}

  /** What it has found so far. */
  get status(): SelfAuditStatus {
    const { last, faults } = this.#notes;
    return {
      mode: this.parts.mode,
      last,
      progress: this.#progress,
      faults,
      count: Math.max(this.#count, faults.length),
    };
  }

  /** Audits until the signal aborts. It never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { time, mode, logger } = this.parts;
    const atOnce = mode === 'at-once';
    await time.pause(atOnce ? SHORT : BEGINS_AFTER, { signal, ref: false });
    while (!signal.aborted) {
      try {
        await this.#pass(signal);
        await time.pause(atOnce ? SHORT : RESTS, { signal, ref: false });
      } catch (error) {
        if (isOver(signal)) return;
        logger.warn({ err: error }, 'the self-audit could not finish a pass; it tries again');
        await time.pause(atOnce ? SHORT : PAUSE, { signal, ref: false });
      }
    }
  }

  /** Follows what another process notes, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const { time, keyValues } = this.parts;
    while (!signal.aborted) {
      this.#notes = await readNotes(keyValues).catch(() => this.#notes);
      await time.pause(NOTES_EVERY, { signal, ref: false });
    }
  }

  async #pass(signal: AbortSignal): Promise<void> {
    const { start, data, log, keyValues, ledger, gateway, time, clock, mode } = this.parts;
    const share = mode === 'at-once' ? 1 : SHARE;
    const notes = await readNotes(keyValues);
    this.#notes = notes;
    const began = time.monotonic();
    const until = await log.head();
    const faults: Fault[] = [...notes.open];
    const rows = { index: notes.part, of: Math.max(1, Math.ceil((await this.#rows()) / ROWS)) };
    if (rows.index >= rows.of) rows.index = 0;
    let [position, ways] = [notes.position, 0];
    this.#count = faults.length;
    const thread = start(
      { ...data, share },
      {
        fault: (fault) => this.#take(fault, faults),
        found: this.parts.found,
        progress: (at) => {
          if (ways === 0) position = at;
          this.#progress = until === 0n ? 1 : (Number(at) / Number(until) + ways) / 2;
        },
      },
      time,
    );
    // A stream that has been read again may be read on from anywhere, but rows only from the beginning.
    const noting: Timer = time.every(NOTES_EVERY, () => void this.#note({ position, open: faults })).unref();
    const abort = (): void => void thread.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const read = await ledger.compare((fault) => this.#take(fault, faults), signal, new Pauses(time, share, signal));
      const charges = read && { ledger: { charges: read.charges, gateway, until } };
      const common = { until, bytes: BYTES };
      const whole = { index: 0, of: 1 };
      const streams = await thread.run({ ...common, ...charges, after: notes.position, order: true, streams: whole });
      ways = 1;
      await thread.run({ ...common, after: 0n, order: false, rows });
      const { events } = streams.checked;
      this.counters.passes += 1;
      this.counters.events += events;
      const seconds = Math.round((time.monotonic() - began) / 1_000);
      const last = { at: clock.now(), position: until.toString(), events, faults: this.#count, seconds };
      await this.#note({ position: 0n, open: [], faults, part: (rows.index + 1) % rows.of, last });
    } finally {
      time.cancel(noting);
      signal.removeEventListener('abort', abort);
      this.#progress = null;
      await thread.close();
    }
  }

  /** How many rows all views have. */
  async #rows(): Promise<number> {
    let rows = 0;
    for (const view of views) {
      rows += await this.parts.readers
        .reader(view)
        .count(everything)
        .catch(() => 0);
    }
    return rows;
  }

  #take(fault: Fault, faults: Fault[]): void {
    const { logger } = this.parts;
    const key = `${fault.kind} ${fault.where ?? ''} ${fault.position ?? ''} ${fault.what}`;
    if (faults.some((each) => each.where === fault.where && each.what === fault.what)) return;
    this.#count += 1;
    if (faults.length < MOST_KEPT) faults.push(fault);
    // What was found before stays until a whole pass no longer finds it.
    this.#notes = { ...this.#notes, faults: merged(this.#notes.faults, faults) };
    if (this.#logged.has(key) || this.#logged.size > MOST_LOGGED) return;
    this.#logged.add(key);
    this.counters.faults += 1;
    logger.error(
      { fault },
      `the self-audit found: ${fault.where ?? `position ${fault.position}`}: ${fault.what}. ${FAULTS[fault.kind]}`,
    );
  }

  async #note(changes: Partial<AuditNotes>): Promise<void> {
    this.#notes = { ...this.#notes, ...changes };
    // If it cannot be noted, a restart begins earlier.
    await writeNotes(this.parts.keyValues, this.#notes).catch(() => undefined);
  }
}

/** Read anew: it may have been aborted meanwhile. */
const isOver = ({ aborted }: AbortSignal): boolean => aborted;

/** Faults that are logged one by one. */
const MOST_LOGGED = 1_000;

function merged(before: readonly Fault[], found: readonly Fault[]): readonly Fault[] {
  const others = before.filter((each) => !found.some(({ where, what }) => where === each.where && what === each.what));
  return [...found, ...others].slice(0, MOST_KEPT);
}
