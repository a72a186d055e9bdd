import { causationOf, type Directive, type EventBody, type FollowUp, type LackingFact } from '#kernel';
import { BoundedMap } from '../caches/bounded-map.js';
import type { Codec } from '../events/codec.js';
import { Unavailable } from '../errors.js';
import { readEvent, type StreamReader } from '../events/read-stream.js';
import { heldBytes } from './held-bytes.js';

/** The facts of the log that followers lack. It remembers the last ones: the coupons of one deal mostly need the same. */
export class Facts {
  readonly #known: BoundedMap<string, EventBody>;
  readonly #reading = new Map<string, Promise<EventBody | undefined>>();

  /** @param most bytes that each of the two generations of remembered facts weighs */
  constructor(
    private readonly log: StreamReader,
    private readonly codec: Pick<Codec, 'decode'>,
    most: number,
  ) {
    this.#known = new BoundedMap(most, (fact) => heldBytes(fact));
  }

  /** The whole command, without a wait; undefined if its fact must be read. */
  known(followUp: FollowUp): Directive | undefined {
    if ('command' in followUp) return followUp;
    const fact = this.#known.get(causationOf(followUp.fact));
    return fact && followUp.complete(fact);
  }

  /**
   * The whole command, after its fact was read.
   * @throws Unavailable if the log lacks the fact, or has another event in its place
   */
  async read(followUp: FollowUp): Promise<Directive> {
    if ('command' in followUp) return followUp;
    const fact = await this.#find(followUp);
    const whole = fact && followUp.complete(fact);
    if (whole !== undefined) return whole;
    throw new Unavailable('the event log does not give an event that a decision names', 1, followUp.fact.stream);
  }

  /** Callers that need the same fact meanwhile wait for the same read. */
  #find({ fact }: LackingFact): Promise<EventBody | undefined> {
    const key = causationOf(fact);
    const known = this.#known.get(key);
    if (known !== undefined) return Promise.resolve(known);
    let reading = this.#reading.get(key);
    if (reading === undefined) {
      reading = this.#read(key, fact).finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    return reading;
  }

  async #read(key: string, { stream, revision }: LackingFact['fact']): Promise<EventBody | undefined> {
    const stored = await readEvent(this.log, stream, revision);
    if (stored === undefined) return undefined;
    const { type, data } = this.codec.decode(stored);
    const fact = { type, data };
    this.#known.set(key, fact);
    return fact;
  }
}
