import type { Codec } from '../events/codec.js';
import type { DecisionGuard } from '../ports/decision-guard.js';
import { type EventLogReader, isLastPage, NO_STREAM } from '../ports/event-log.js';
import type { Time } from '../ports/time.js';
import { Slices } from '../scheduling/slices.js';
import type { Snapshots } from '../snapshots/snapshots.js';
import type { SeenLog } from './seen-log.js';
import type { StreamEntry } from './stream-entry.js';
import { trusts } from './trusts.js';

const LOAD_PAGE = 1_000;
/** Events of a page after which other calls may have their turn: one event may have a thousand ids. */
const LOAD_PART = 20;

/** Reads streams from the log into their entries. */
export class StreamLoader {
  constructor(
    private readonly parts: {
      readonly log: Pick<EventLogReader, 'readStream'>;
      readonly codec: Pick<Codec, 'decode'>;
      readonly guard: Pick<DecisionGuard, 'open' | 'refuses' | 'passed'>;
      readonly seen: SeenLog;
      readonly time: Time;
      /** Without them, every load reads the whole stream. */
      readonly snapshots: Snapshots | undefined;
    },
  ) {}

  /**
   * Reads the events of a stream after the last known one.
   * @throws Unavailable if the guard found something about the stream meanwhile
   */
  async load(entry: StreamEntry): Promise<void> {
    const { log, codec, guard, seen, time, snapshots } = this.parts;
    // Not those that come from now on: the answer may already be older.
    for (const pending of [...entry.deciding, ...entry.waiting]) pending.looked = true;
    const slices = new Slices(time);
    if (!entry.loaded && entry.revision === NO_STREAM) await snapshots?.restore(entry);
    for (;;) {
      const from = entry.revision + 1;
      const page = await log.readStream(entry.stream, from, LOAD_PAGE);
      for (let at = 0; at < page.length; at += LOAD_PART) {
        if (slices.isOver) await slices.next();
        entry.takeAll(page.slice(at, at + LOAD_PART).map((event) => codec.decode(event)));
      }
      const last = page.at(-1);
      if (last !== undefined) entry.reached(last.position, last.id);
      seen.note(last?.position);
      if (isLastPage(page, LOAD_PAGE)) break;
      await time.turn();
    }
    entry.loaded = true;
    if (!trusts(guard, entry.stream)) await guard.passed(entry.stream);
  }

  /**
   * Whether another process has written to the stream since. An append finds that out itself. A refusal, or an answer that
   * nothing changes, must not rest on a state that is older than the log.
   */
  async hasNewEvents(entry: StreamEntry): Promise<boolean> {
    const { revision } = entry;
    await this.load(entry);
    return entry.revision !== revision;
  }
}
