import type { Collection } from 'mongodb';
import type { Leases, Time } from '#eventsourcing';
import { isDuplicate } from './errors.js';
import type { MongoDb } from './mongo-db.js';

interface LeaseDocument {
  readonly _id: string;
  readonly holder: string;
  /** Increases while the holder lives. */
  readonly beat: number;
}

/** Milliseconds between two beats of a holder. */
const BEAT = 1_000;
/** A holder that could not beat for this long no longer holds the lease. */
const LOST_AFTER = 4_000;
/** Whoever sees no beat for this long takes over. It is longer than `LOST_AFTER`, so the holder has given up by then. */
const TAKEN_AFTER = 5_000;
/** Milliseconds between two looks of those who wait. */
const LOOK = 250;
/** Milliseconds between the end of a holder's work and its next try, so that others come first. */
const PAUSE = 1_000;

/**
 * Leases as documents of the collection `leases`. Clocks of two machines are never compared: a waiting process takes over
 * when it has itself seen no beat for 5 s. It calls `failed` if the work rejects.
 */
export class MongoDbLeases implements Leases {
  private readonly leases: Collection<LeaseDocument>;
  private readonly held = new Set<HeldLease>();

  constructor(
    private readonly mongo: MongoDb,
    private readonly failed: (name: string, error: unknown) => void,
  ) {
    this.leases = mongo.collection('leases');
  }

  hold(name: string, work: (signal: AbortSignal) => Promise<void>): { close(): Promise<void> } {
    const failed = (error: unknown): void => this.failed(name, error);
    const lease = new HeldLease(this.mongo, this.leases, name, work, failed);
    this.held.add(lease);
    return lease;
  }

  async close(): Promise<void> {
    await Promise.all([...this.held].map((lease) => lease.close()));
    this.held.clear();
  }
}

/** One lease that this process has or waits for. */
class HeldLease {
  private readonly closing = new AbortController();
  private readonly ended: Promise<void>;
  /** Another one each time it is acquired: what gave it back earlier, and arrives again, must not give it back now. */
  private holder = '';
  private readonly time: Time;

  constructor(
    private readonly mongo: MongoDb,
    private readonly leases: Collection<LeaseDocument>,
    private readonly name: string,
    private readonly work: (signal: AbortSignal) => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {
    this.time = mongo.machine.time;
    this.ended = this.run();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.ended;
  }

  private async run(): Promise<void> {
    while (await this.acquire()) {
      await this.holding();
      await this.pause(PAUSE);
    }
  }

  /** False if it is closed before it has the lease. */
  private async acquire(): Promise<boolean> {
    this.holder = this.mongo.machine.randomness.uuid();
    let seen: { readonly holder: string; readonly beat: number; readonly since: number } | undefined;
    while (!this.closing.signal.aborted) {
      try {
        const there = await this.mongo.answer(this.leases.findOne({ _id: this.name }));
        const now = this.time.monotonic();
        if (there === null) {
          if (await this.insert()) return true;
          continue;
        }
        const { holder, beat } = there;
        if (seen?.holder !== holder || seen.beat !== beat) seen = { holder, beat, since: now };
        else if (now - seen.since >= TAKEN_AFTER && (await this.replace(there))) return true;
      } catch (error) {
        this.failed(error);
        // What was seen before a silence says nothing about the time after it.
        seen = undefined;
      }
      await this.pause(LOOK);
    }
    return false;
  }

  /** Runs the work until it ends, the lease is lost, or this is closed; then gives the lease back. */
  private async holding(): Promise<void> {
    const lost = new AbortController();
    const done = new AbortController();
    const signal = AbortSignal.any([lost.signal, this.closing.signal]);
    const beating = this.beatUntil(done.signal, lost);
    try {
      await this.work(signal);
    } catch (error) {
      if (!signal.aborted) this.failed(error);
    }
    done.abort();
    await beating;
    await this.mongo.answer(this.leases.deleteOne({ _id: this.name, holder: this.holder })).catch((error: unknown) =>
      // The others wait until the beat has stood still.
      this.failed(error),
    );
  }

  private async beatUntil(done: AbortSignal, lost: AbortController): Promise<void> {
    let expiry = this.time.after(LOST_AFTER, () => lost.abort());
    const over = AbortSignal.any([done, lost.signal]);
    const isOver = (): boolean => over.aborted;
    while (!isOver()) {
      await this.time.pause(BEAT, { signal: over });
      const sent = this.time.monotonic();
      try {
        const mine = { _id: this.name, holder: this.holder };
        const { matchedCount } = await this.mongo.answer(
          this.leases.updateOne(mine, { $inc: { beat: 1 } }),
          LOST_AFTER,
        );
        if (matchedCount === 0) lost.abort();
        if (isOver()) break;
        this.time.cancel(expiry);
        // Counted from the sending, because others may have seen this beat since then.
        expiry = this.time.after(LOST_AFTER - (this.time.monotonic() - sent), () => lost.abort());
      } catch (error) {
        if (!isOver()) this.failed(error);
      }
    }
    this.time.cancel(expiry);
  }

  private async insert(): Promise<boolean> {
    try {
      await this.mongo.answer(this.leases.insertOne({ _id: this.name, holder: this.holder, beat: 0 }), LOST_AFTER);
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  private async replace({ holder, beat }: LeaseDocument): Promise<boolean> {
    const still = { _id: this.name, holder, beat };
    const mine = { $set: { holder: this.holder, beat: beat + 1 } };
    const { matchedCount } = await this.mongo.answer(this.leases.updateOne(still, mine), LOST_AFTER);
    return matchedCount === 1;
  }

  private pause(milliseconds: number): Promise<void> {
    return this.time.pause(milliseconds, { signal: this.closing.signal });
  }
}
