import {
  causationOf,
  type Directive,
  eventPlace,
  type FollowUp,
  type Followers,
  type Recorded,
  streamOf,
} from '#kernel';
import { Facts } from '../command-loop/facts.js';
import type { Codec } from '../events/codec.js';
import type { EventLogReader } from '../ports/event-log.js';
import { directivesOf } from '../work/followers.view.js';
import { durationOf, isDecision } from './log-order.js';
import { type Checked, faultAt, type Report } from './fault.js';
import { type KnownStream, type KnownStreams, stateOf, type Writing } from './known-streams.js';
import { isIn, type Part } from './part.js';
import { differsIn, isSameJson } from './same-json.js';

/** Bytes of remembered facts: events with redemption codes. */
const FACTS = 8 * 1024 * 1024;
/** So many decisions may wait for their followers; the oldest ones are then looked at. */
const MOST_WAITING = 20_000;

/** A decision that leads to something in another stream. */
interface Expected {
  readonly decision: Recorded;
  readonly followUp: FollowUp;
}

type Bodies = Writing['bodies'];

/** Compares what decisions lead to in other streams with what is there. */
export class ExpectedFollowers {
  readonly #directives: (event: Recorded) => readonly FollowUp[];
  readonly #facts: Facts;
  /** By the streams of decision and follower, the oldest first. */
  readonly #waiting = new Map<string, Expected[]>();
  #count = 0;
  /** What did not follow while the log was read. */
  readonly #late: Expected[] = [];

  constructor(
    private readonly parts: {
      readonly log: Pick<EventLogReader, 'readStream'>;
      readonly codec: Pick<Codec, 'decode'>;
      readonly followers: readonly Followers[];
      readonly streams: KnownStreams;
      readonly part: Part;
      readonly report: Report;
      readonly checked: Checked;
      /** Whether the work list still has to write what follows from a decision of one stream in another. */
      readonly isOpen: (decision: Recorded, follower: string) => Promise<boolean>;
    },
  ) {
    const { log, codec, followers } = parts;
    this.#directives = directivesOf(followers);
    this.#facts = new Facts(log, codec, FACTS / 2);
  }

  /** Notes what an event leads to in the streams of this part. */
  decided(event: Recorded): Promise<void> | undefined {
    if (!isDecision(event)) return undefined;
    for (const followUp of this.#directives(event)) {
      const target = streamOf(followUp);
      if (!isIn(this.parts.part, target)) continue;
      const key = keyOf(event.stream, target);
      const list = this.#waiting.get(key);
      const expected = { decision: event, followUp };
      if (list === undefined) this.#waiting.set(key, [expected]);
      else list.push(expected);
      this.#count += 1;
      this.parts.checked.decisions += 1;
    }
    return this.#count > MOST_WAITING ? this.#lookAtOldest() : undefined;
  }

  /** Compares an event that follows from a decision in another stream with that. The stream is as it was before the event. */
  follows(event: Recorded, known: KnownStream): Promise<void> | undefined {
    const { causation } = event.metadata;
    if (causation === null) return undefined;
    const { writing } = known;
    if (writing?.causation === causation && writing.come < writing.bodies.length) {
      this.#compare(event, known, writing.bodies[writing.come]);
      writing.come += 1;
      // What is complete would only hold memory.
      if (writing.come === writing.bodies.length) known.writing = undefined;
      return undefined;
    }
    this.assertWhole(known);
    this.parts.checked.followers += 1;
    const expected = this.#take(event, causation);
    if (expected !== undefined) return this.#begin(event, known, expected);
    return this.#find(event, causation).then((found) => this.#begin(event, known, found));
  }

  /** Reports if a decision led to more events here than have come. */
  assertWhole(known: KnownStream): void {
    const { writing, stream, revision, position } = known;
    known.writing = undefined;
    if (writing === undefined || writing.come >= writing.bodies.length) return;
    const what = `${writing.causation} leads to ${writing.bodies.length} events here, and only ${writing.come} came`;
    this.parts.report(faultAt('follower', { stream, revision, position }, what));
  }

  /** Compares the first event of a decision in this stream with that. @param expected words if no decision of ours leads to it */
  #begin(event: Recorded, known: KnownStream, expected: Expected | string): Promise<void> | undefined {
    if (typeof expected === 'string') {
      this.parts.report(faultAt('follower', event, expected));
      return undefined;
    }
    this.#compareCause(event, expected.decision);
    if (!known.isWhole) return undefined;
    const bodies = this.#bodiesOf(expected, known);
    if (bodies instanceof Promise) return bodies.then((read) => this.#compareFirst(event, known, read));
    this.#compareFirst(event, known, bodies);
    return undefined;
  }

  #compareFirst(event: Recorded, known: KnownStream, bodies: Bodies | undefined): void {
    if (bodies === undefined) return;
    const causation = event.metadata.causation ?? '';
    if (bodies.length > 1) known.writing = { causation, bodies, come: 1 };
    if (bodies.length === 0)
      this.parts.report(faultAt('follower', event, `${causation} leads to nothing here: it had followed before`));
    else this.#compare(event, known, bodies[0]);
  }

  /** The decision that waits for this event. The earlier ones of the same streams wait no more: a later one may do their work. */
  #take({ stream }: Recorded, causation: string): Expected | undefined {
    const place = eventPlace(causation);
    if (place === undefined) return undefined;
    const key = keyOf(place.stream, stream);
    const list = this.#waiting.get(key);
    if (list === undefined) return undefined;
    const at = list.findIndex(({ decision }) => decision.revision === place.revision);
    if (at < 0) return undefined;
    const found = list[at];
    this.#count -= at + 1;
    if (at + 1 === list.length) this.#waiting.delete(key);
    else this.#waiting.set(key, list.slice(at + 1));
    return found;
  }

  /** The decision in the log. @returns words if nothing of ours leads from it to this event */
  async #find(event: Recorded, causation: string): Promise<Expected | string> {
    const { log, codec } = this.parts;
    const place = eventPlace(causation);
    if (place === undefined || !Number.isSafeInteger(place.revision) || place.revision < 0)
      return 'its cause is not the name of an event';
    const [stored] = await log.readStream(place.stream, place.revision, 1);
    if (stored?.revision !== place.revision) return `its cause ${causation} is not in the log`;
    if (stored.position > event.position) return `its cause ${causation} comes later in the log`;
    let decision: Recorded;
    try {
      decision = codec.decode(stored);
    } catch {
      return `its cause ${causation} cannot be read`;
    }
    const followUp = isDecision(decision)
      ? this.#directives(decision).find((each) => streamOf(each) === event.stream)
      : undefined;
    return followUp === undefined ? `its cause ${causation} leads to nothing in this stream` : { decision, followUp };
  }

  #compareCause(event: Recorded, decision: Recorded): void {
    const [own, theirs] = [event.metadata, decision.metadata];
    const name = causationOf(decision);
    const wrong: string[] = [];
    if (own.time !== theirs.time) {
      const by = durationOf(Math.abs(own.time - theirs.time));
      wrong.push(`its time is ${by} ${own.time < theirs.time ? 'before' : 'after'} that of its decision ${name}`);
    }
    if (own.actor !== theirs.actor) wrong.push(`its actor is not that of its decision ${name}`);
    if (own.correlation !== theirs.correlation) wrong.push(`its correlation is not that of its decision ${name}`);
    for (const what of wrong) this.parts.report(faultAt('cause', event, what));
  }

  #compare(
    event: Recorded,
    known: KnownStream,
    body: { readonly type: string; readonly data: object } | undefined,
  ): void {
    if (body === undefined || !known.isWhole) return;
    const cause = event.metadata.causation ?? '';
    const differs = (what: string): void =>
      this.parts.report(faultAt('follower', event, `${what} as its decision ${cause} leads to`));
    if (event.type !== body.type) differs(`it is ${event.type}, and not ${body.type}`);
    else if (!isSameJson(event.data, body.data))
      differs(`its ${differsIn(event.data, body.data) ?? 'data'} is not the same`);
  }

  /**
   * What a decision leads to in a stream as it is; undefined if the log lacks a fact, which is reported elsewhere. It only waits for a
   * fact that must be read.
   */
  #bodiesOf(expected: Expected, known: KnownStream): Bodies | undefined | Promise<Bodies | undefined> {
    const directive = this.#facts.known(expected.followUp);
    if (directive !== undefined) return bodiesBy(directive, expected, known);
    return this.#facts.read(expected.followUp).then(
      (read) => bodiesBy(read, expected, known),
      () => undefined,
    );
  }

  /** Looks at those that have waited longest: most of them led to nothing, because it was done already. */
  async #lookAtOldest(): Promise<void> {
    for (const [key, list] of this.#waiting) {
      if (this.#count <= MOST_WAITING / 2) return;
      this.#waiting.delete(key);
      this.#count -= list.length;
      for (const expected of list) if (await this.#isMissing(expected)) this.#addLate(expected);
    }
  }

  #addLate(expected: Expected): void {
    if (this.#late.length < MOST_WAITING) this.#late.push(expected);
  }

  async #isMissing(expected: Expected): Promise<boolean> {
    const known = await this.parts.streams.read(streamOf(expected.followUp));
    if (known === undefined || !known.isWhole) return false;
    const bodies = await this.#bodiesOf(expected, known);
    return bodies !== undefined && bodies.length > 0;
  }

  /** Reports what never followed. What the work list knows is still to come. */
  async end(): Promise<void> {
    const { report, isOpen } = this.parts;
    const left = [...this.#late, ...[...this.#waiting.values()].flat()];
    for (const expected of left) {
      const { decision, followUp } = expected;
      const target = streamOf(followUp);
      if (!(await this.#isMissing(expected)) || (await isOpen(decision, target))) continue;
      report(faultAt('missing', decision, `${target} lacks what follows from it`));
    }
  }
}

function bodiesBy({ command }: Directive, { decision }: Expected, known: KnownStream): Bodies | undefined {
  try {
    return known.decider.decide(command, stateOf(known), decision.metadata.time, known.revision + 1);
  } catch {
    return undefined;
  }
}

function keyOf(decision: string, follower: string): string {
  return `${decision}>${follower}`;
}
