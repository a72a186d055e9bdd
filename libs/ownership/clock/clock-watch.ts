import { findingOf, type Finding, type MovableClock } from '#eventsourcing';
import type { Instant, Recorded } from '#kernel';

/** Clocks that work differ by far less than this, in milliseconds. */
export const CLOCKS_DIFFER = 10_000;

/** The log’s server, as text. @param name of its node, if known */
export function serverNamed(name: string | undefined): string {
  return name === undefined ? 'the event log’s server' : `the event log’s server (${name})`;
}

/** Why this machine’s clock is not trusted: it has leapt since it agreed with a server’s, or nobody knows yet which one is wrong. */
export type NotTrusted = 'it has leapt' | 'nobody knows';

/**
 * The finding that this machine’s clock contradicts another one.
 * @param ahead milliseconds; negative if this clock is behind
 * @param server the node whose clock it contradicts, if known
 */
export function wrongClock(ahead: number, server?: string, why: NotTrusted = 'nobody knows'): Finding {
  const reason = why === 'it has leapt' ? 'It has leapt since the two agreed' : 'Nobody knows which of them is wrong';
  return contradiction(
    ahead,
    serverNamed(server),
    `${reason}. Correct the clock that is wrong: Holdfast notices that by itself.`,
  );
}

function contradiction(ahead: number, whom: string, way: string): Finding {
  const where = ahead < 0 ? 'behind' : 'ahead of';
  const words =
    `This machine’s clock is ${Math.round(Math.abs(ahead) / 1_000)} s ${where} that of ${whom}: holds would not last as ` +
    `long as promised. ${way}`;
  return findingOf('clock', words, [where, whom]);
}

/**
 * Compares the clocks of processes that share a log. They must agree, because each process ends the others' holds by its own
 * clock. The log's server says when it wrote each new event; a process whose clock contradicts that has it judged. If the server
 * does not say so, the times in other processes' events are all there is to compare. The distance of the test clock does not
 * count.
 */
export class ClockWatch {
  #found = false;

  /**
   * @param isOwn whether this process decided the event with this id
   * @param contradicted called with a contradiction; returns whether it is settled, so that no further one matters
   */
  constructor(
    private readonly clock: MovableClock,
    private readonly isOwn: (eventId: string) => boolean,
    private readonly contradicted: (finding: Finding) => boolean,
  ) {}

  /**
   * Checks a new event. If the event moves the test clock, call this after the clock has moved.
   * @param written when the log's server wrote the event, or a later event that came with it; undefined if the server does
   * not say
   */
  check({ id, metadata }: Pick<Recorded, 'id' | 'metadata'>, written: Instant | undefined): void {
    if (this.#found || metadata.causation !== null) return;
    const [now, { ahead }] = [this.clock.now(), this.clock];
    if (written === undefined) {
      if (metadata.time - now > CLOCKS_DIFFER) this.#tell(now - metadata.time, 'another process of this log');
    } else if (written - (now - ahead) > CLOCKS_DIFFER) {
      // An event cannot be written in the future.
      this.#tell(now - ahead - written);
    } else if (this.isOwn(id) && metadata.time - ahead - written > CLOCKS_DIFFER) {
      // An event cannot be written before it is decided.
      this.#tell(metadata.time - ahead - written);
    }
  }

  #tell(ahead: number, whom = serverNamed(undefined)): void {
    this.#found = this.contradicted(contradiction(ahead, whom, 'Correct the clock that is wrong, and start again.'));
  }
}
