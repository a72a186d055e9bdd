import { type AnyDecider, categoryOf, type EventTypes, type Followers, type Recorded, type StreamRules } from '#kernel';
import { type Codec, UnreadableEvent } from '../events/codec.js';
import type { EventLogReader } from '../ports/event-log.js';
import type { Finding } from '../ports/finding.js';
import { gapFinding } from '../findings/stream-findings.js';
import { ExpectedFollowers } from './expected-followers.js';
import { type Checked, faultAt, type Report } from './fault.js';
import { KnownStreams, type KnownStream } from './known-streams.js';
import { durationOf, isDecision, isTooEarly } from './log-order.js';
import { isIn, type Part } from './part.js';
import type { SnapshotCheck } from './snapshot-check.js';

/** What is known of all streams. */
export interface StreamModel {
  readonly deciders: readonly AnyDecider[];
  readonly events: readonly EventTypes[];
  readonly followers: readonly Followers[];
  readonly rules: readonly StreamRules[];
}

/** Folds streams again from their first event, and checks each event against those before and against its decision. */
export class StreamCheck {
  readonly #streams: KnownStreams;
  readonly #expected: ExpectedFollowers;
  /** The category of each type, in its present version. */
  readonly #categories: ReadonlyMap<string, string>;

  constructor(
    private readonly parts: {
      readonly log: Pick<EventLogReader, 'readStream'>;
      readonly codec: Codec;
      readonly model: StreamModel;
      readonly snapshots: SnapshotCheck;
      readonly part: Part;
      /** The most bytes that remembered streams hold. */
      readonly bytes: number;
      readonly report: Report;
      readonly checked: Checked;
      /** A stream lacks events, as the service would find when it loads it. */
      readonly found: (finding: Finding) => void;
      readonly isKnown: (finding: Finding) => boolean;
      /** Whether the test clock was moved a short while before: clocks of processes may differ more. */
      readonly hasJustMoved: (event: Recorded) => boolean;
      readonly isOpen: (decision: Recorded, follower: string) => Promise<boolean>;
    },
  ) {
    const { log, codec, model, bytes, part, report, checked, isOpen } = parts;
    const { deciders, events, followers, rules } = model;
    this.#streams = new KnownStreams({ log, codec, deciders, rules, bytes });
    this.#categories = new Map(events.flatMap(({ category, names }) => names.map((name) => [name, category])));
    this.#expected = new ExpectedFollowers({
      log,
      codec,
      followers,
      streams: this.#streams,
      part,
      report,
      checked,
      isOpen,
    });
  }

  /**
   * Takes the next event of the log.
   * @param event as this build reads it; undefined if it cannot
   */
  take(stored: Recorded, event: Recorded | undefined): Promise<void> | undefined {
    if (event === undefined) return isIn(this.parts.part, stored.stream) ? this.#unreadable(stored) : undefined;
    let deciding: Promise<void> | undefined;
    try {
      deciding = this.#expected.decided(event);
    } catch {
      this.parts.report(faultAt('shape', event, 'what follows from it cannot be derived'));
    }
    if (!isIn(this.parts.part, event.stream)) return deciding;
    return deciding === undefined ? this.#takeOwn(event) : deciding.then(() => this.#takeOwn(event));
  }

  /** Reports what the log lacks at its end. */
  end(): Promise<void> {
    return this.#expected.end();
  }

  /** Takes an event of this part. Most need no wait, and waits cost more than the check itself. */
  #takeOwn(event: Recorded): Promise<void> | undefined {
    const { stream, revision } = event;
    const known = this.#streams.get(stream);
    if (known !== undefined) return this.#takeKnown(event, known);
    if (revision === 0) return this.#takeFirst(event, this.#streams.begin(stream));
    return this.#streams.load(stream, revision).then((loaded) => this.#takeFirst(event, loaded));
  }

  /** Takes an event of a stream that was just begun or read; undefined if no stream has such a name. */
  #takeFirst(event: Recorded, known: KnownStream | undefined): Promise<void> | undefined {
    const { report, checked, snapshots } = this.parts;
    if (known === undefined) {
      report(faultAt('shape', event, 'no stream of ours has such a name'));
      return undefined;
    }
    if (event.revision === 0) checked.streams += 1;
    if (known.position > event.position)
      report(faultAt('order', event, 'an earlier event of its stream stands after it'));
    const looking = snapshots.look(known);
    return looking === undefined ? this.#takeKnown(event, known) : looking.then(() => this.#takeKnown(event, known));
  }

  #takeKnown(event: Recorded, known: KnownStream): Promise<void> | undefined {
    const { report } = this.parts;
    if (event.revision <= known.revision) {
      report(faultAt('order', event, `it comes after ${known.stream}@${known.revision}`));
      return undefined;
    }
    if (event.revision > known.revision + 1) this.#gap(event, known);
    const category = this.#categories.get(event.type);
    if (category !== categoryOf(event.stream)) {
      report(faultAt('shape', event, `an event ${event.type} belongs to streams of ${category ?? 'nobody'}`));
      known.isWhole = false;
    }
    const following = this.#checkCause(event, known);
    if (following !== undefined) return following.then(() => this.#fold(event, known));
    return this.#fold(event, known);
  }

  #checkCause(event: Recorded, known: KnownStream): Promise<void> | undefined {
    if (!isDecision(event)) return this.#expected.follows(event, known);
    if (known.writing !== undefined) this.#expected.assertWhole(known);
    const { report, hasJustMoved } = this.parts;
    const { time } = event.metadata;
    if (known.time !== undefined && isTooEarly(time, known.time) && !hasJustMoved(event))
      report(
        faultAt(
          'time',
          event,
          `it is ${durationOf(known.time - time)} earlier than the decision before it in its stream`,
        ),
      );
    if (known.rules?.follow.has(event.type) === true)
      report(faultAt('follower', event, 'only a decision in another stream leads to such an event, and it names none'));
    return undefined;
  }

  #fold(event: Recorded, known: KnownStream): Promise<void> | undefined {
    const { report, checked, snapshots } = this.parts;
    try {
      if (known.isWhole && known.checker !== undefined) {
        checked.sums += 1;
        for (const what of known.checker.check(known.state, event)) report(faultAt('sum', event, what));
      }
      this.#streams.fold(known, event);
    } catch (error) {
      known.isWhole = false;
      // The message may have what the event holds.
      report(
        faultAt(
          'shape',
          event,
          `its data is not that of ${event.type} (${error instanceof Error ? error.name : 'error'})`,
        ),
      );
      return undefined;
    }
    return snapshots.reached(known);
  }

  #gap(event: Recorded, known: KnownStream): void {
    const { report, found, isKnown } = this.parts;
    known.isWhole = false;
    const finding = gapFinding(event.stream, known.revision + 1, [event]);
    if (finding === undefined || isKnown(finding)) return;
    report(
      faultAt(
        'missing',
        event,
        `revision ${known.revision + 1} of its stream was expected, and ${event.revision} comes`,
      ),
    );
    found(finding);
  }

  async #unreadable(stored: Recorded): Promise<void> {
    const { stream, revision } = stored;
    const known =
      this.#streams.get(stream) ??
      (revision === 0 ? this.#streams.begin(stream) : await this.#streams.load(stream, revision));
    let what = 'this build cannot read it';
    try {
      this.parts.codec.decode(stored);
    } catch (error) {
      if (error instanceof UnreadableEvent) what = error.message;
    }
    this.parts.report(faultAt('shape', stored, what));
    if (known === undefined) return;
    known.isWhole = false;
    known.revision = revision;
    known.position = stored.position;
  }
}
