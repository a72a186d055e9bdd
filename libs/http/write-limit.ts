import { BoundedMap, type Time, type WriteMeter } from '#eventsourcing';
import { WRITTEN } from '#kernel/bounds';
import { Refused } from './errors.js';

/** Half of the partners that are remembered at a time. Only those count who write much. */
const PARTNERS = 10_000;

/**
 * Bounds the bytes that each partner writes through this process, whichever of its credentials it uses (ruling I16): those of the
 * bodies of its calls, and of the events that they lead to. The first bytes of each call are free, so a usual sale counts nothing.
 */
export class WriteLimit {
  /** By partner: when all that it has written is within the bound, in milliseconds. */
  readonly #paid = new BoundedMap<string, number>(PARTNERS);
  /** Calls that wait before they are refused. */
  #waiting = 0;

  /** @param perSecond bytes; undefined means no limit */
  constructor(
    private readonly perSecond: number | undefined,
    private readonly time: Pick<Time, 'monotonic' | 'pause'>,
  ) {}

  /**
   * Begins a call that may write, before its body is parsed.
   * @param partner the id of the partner
   * @param bytes of the body; at most, if they are not known
   * @returns who counts what the call writes; undefined if there is no limit
   * @throws Refused 429 with Retry-After if the partner has written too much
   */
  begin(partner: string, bytes: number): WriteMeter | undefined {
    if (this.perSecond === undefined) return undefined;
    const paid = this.#paid.get(partner);
    if (paid !== undefined) this.#refuse(paid, bytes <= WRITTEN.free, this.perSecond);
    const written = new WrittenBytes(this, partner);
    written.wrote(bytes);
    return written;
  }

  /**
   * Begins a call as `begin` does. One that is over the bound waits for a moment and tries again before it is refused: refusals that
   * are answered at once would let a partner call as fast as it can, and take the processor from others.
   * @throws Refused 429 with Retry-After if the partner has still written too much
   */
  async beginOrWait(partner: string, bytes: number): Promise<WriteMeter | undefined> {
    try {
      return this.begin(partner, bytes);
    } catch (refusal) {
      if (this.#waiting === WRITTEN.waiting) throw refusal;
    }
    this.#waiting += 1;
    try {
      await this.time.pause(WRITTEN.wait, { ref: false });
    } finally {
      this.#waiting -= 1;
    }
    return this.begin(partner, bytes);
  }

  /** Calls with a small body go on until as much again is missing, so that no bulk of large ones stops a partner's sales. */
  #refuse(paid: number, isSmall: boolean, perSecond: number): void {
    const seconds = isSmall ? 2 * WRITTEN.ahead : WRITTEN.ahead;
    const late = (paid - this.time.monotonic()) / 1000 - seconds;
    if (late <= 0) return;
    const after = String(Math.ceil(late));
    throw new Refused(
      429,
      'rate_limited',
      `you write more than ${perSecond} bytes per second; try again in ${after} s`,
      { 'retry-after': after },
    );
  }

  /** Counts bytes that a partner has written, beyond those that are free; less than 0 gives back what was counted. */
  count(partner: string, bytes: number): void {
    const now = this.time.monotonic();
    const milliseconds = (1000 * bytes) / (this.perSecond ?? Infinity);
    this.#paid.set(partner, Math.max(this.#paid.get(partner) ?? now, now) + milliseconds);
  }
}

/** Counts what one call writes, beyond what is free. */
class WrittenBytes implements WriteMeter {
  #bytes = 0;

  constructor(
    private readonly limit: Pick<WriteLimit, 'count'>,
    private readonly partner: string,
  ) {}

  wrote(bytes: number): void {
    const before = Math.max(0, this.#bytes - WRITTEN.free);
    this.#bytes += bytes;
    const counted = Math.max(0, this.#bytes - WRITTEN.free) - before;
    if (counted !== 0) this.limit.count(this.partner, counted);
  }
}
