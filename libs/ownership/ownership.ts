import {
  type Keyring,
  type Machine,
  type KeyValueStore,
  type CheckedLog,
  type LogOwner,
  type LogRecord,
  type OwnedLog,
  type SeenByView,
  aheadOfLogFinding,
  findingOf,
  type Finding,
  BEHIND_FOR,
  knownEventAt,
} from '#eventsourcing';
import type { Position, Recorded } from '#kernel';
import { isLossAccepted, readAccepted, rememberAccepted } from './accepted.js';
import type { LogMark, Mark } from './log-mark.js';
import { keepMark, keepRecord, type KnownPlace } from './known-record.js';
import { isOlderThanNoted } from './noted-lease.js';
import { type FoundOfLog, ownerFinding } from './owner-check.js';
import { emptyFinding, keyStoreFinding, lastOf } from './ownership-findings.js';

/** The entry's name on disk. */
export const INSTALLATION_ENTRY = 'installation';

interface Examination {
  readonly log: CheckedLog;
  readonly atStart: boolean;
  readonly mark: LogMark;
  readonly behindFor: number;
}

interface Examined {
  readonly finding: Finding | undefined;
  /** Makes the log ours if it is nobody's. */
  readonly take: () => Promise<void>;
  readonly record: LogRecord | undefined;
}

/**
 * Checks that a log is this installation's: its identity, the event at the mark, and the owner and keys that it names. It
 * asks the log itself, at the start and whenever there is doubt.
 */
export class Ownership {
  #me: LogOwner | undefined;
  /** The place of the record that was kept last. */
  #kept: KnownPlace | undefined;

  constructor(
    private readonly options: {
      /** The log itself: these calls must not wait for the guard. */
      readonly log: OwnedLog;
      readonly keyValues: KeyValueStore;
      readonly mark: LogMark;
      readonly keyring: Keyring;
      readonly machine: Machine;
      /** Whether others can reach and restore the key store. If so, it is compared with the log's note about it. */
      readonly keysShared?: boolean;
      /**
       * How far the views that were built from a log have come: all processes that knew their last events may have ended
       * before one could move the mark.
       */
      readonly seenByViews?: (log: string) => Promise<readonly SeenByView[]>;
      /** How long to wait for a log that ends before what is known of it, in milliseconds: it may only be behind. */
      readonly behindFor?: number;
      /** Called with what the check waits for. */
      readonly waits: (words: string) => void;
    },
  ) {}

  /**
   * The first check, at the start: takes a log that is nobody's, and accepts what the operator accepts.
   * @param accepted codes of findings
   * @param log where to ask, if not the log's readers
   * @returns the findings that are not accepted
   */
  async begin(accepted: ReadonlySet<string>, log: CheckedLog = this.options.log): Promise<readonly Finding[]> {
    const finding = await this.#look(true, log);
    if (finding === undefined) return [];
    if (!accepted.has(finding.code)) return [finding];
    await this.#accept(finding, log);
    const left = await this.#look(true, log);
    return left === undefined ? [] : [left];
  }

  /**
   * Whether nothing says that the log is another installation's. Then this installation's processes must agree who decides. Not even that is written to a log that is another's or stands in place
   * of ours.
   */
  async isOurs(): Promise<boolean> {
    const { log, mark } = this.options;
    const known = await mark.read();
    const record = await this.#recordOf(log, known);
    if (record === undefined) return known === undefined;
    return (await ownerFinding(record, await this.#self(), { atStart: true, log })) === undefined;
  }

  /**
   * Writes the log's record again if readers do not find it, though the log is ours: after a check that found nothing.
   * @throws Unavailable
   */
  async repair(): Promise<void> {
    const { log, mark } = this.options;
    await this.#repair(await this.#recordOf(log, await mark.read()));
  }

  async #repair(record: LogRecord | undefined): Promise<void> {
    const { log, waits } = this.options;
    if (record?.missing !== true) return;
    await log.repeatRecord?.({ ...record, owner: record.owner ?? (await this.#self()) });
    waits('has written the record of the event log again, which the server did not find');
  }

  /** The log's record; or what the event at the mark proves: a record can get lost alone. */
  async #recordOf(log: CheckedLog, known: Mark | undefined): Promise<LogRecord | undefined> {
    const record = await log.record();
    if (record !== undefined || known === undefined || known.position === 0n) return record;
    if (this.options.log.repeatRecord === undefined) return undefined;
    const there = await log.eventAt(known.position);
    if (there === undefined || !isMarked(there, known)) return undefined;
    return { identity: known.identity, owner: await this.#self(), missing: true };
  }

  /** Keeps where the record of our log is, so that it can be found by its position. */
  async #keep({ identity, place }: LogRecord): Promise<void> {
    const kept = this.#kept;
    if (place === undefined || (kept?.identity === identity && kept.place.last === place.last)) return;
    await keepRecord(this.options.keyValues, { identity, place });
    this.#kept = { identity, place };
  }

  /** Whether the key store is older than the log. @throws Unavailable if it cannot be asked */
  async #isKeyStoreOlder(mark: LogMark, log: CheckedLog): Promise<boolean> {
    const { keysShared = false } = this.options;
    const { lease } = this.options.log;
    if (!keysShared || lease === undefined) return false;
    return isOlderThanNoted(
      lease,
      () => mark.read(),
      () => log.head(),
    );
  }

  /**
   * What contradicts now that the log is ours. If nothing does, and a new leader does not find the log's record, it is written again.
   * @param log where to ask, if not the log's readers
   * @throws Unavailable if it cannot be asked
   */
  async check(log: CheckedLog = this.options.log): Promise<readonly Finding[]> {
    await this.options.mark.save();
    const finding = await this.#look(false, log);
    return finding === undefined ? [] : [finding];
  }

  /**
   * What a start would find now if it knew only what the key store knows. Writes nothing.
   * @throws Unavailable if it cannot be asked
   */
  async foreseen(mark: LogMark): Promise<Finding | undefined> {
    return (await this.#examine({ log: this.options.log, atStart: true, mark, behindFor: 0 })).finding;
  }

  async #look(atStart: boolean, log: CheckedLog): Promise<Finding | undefined> {
    const { mark, behindFor = BEHIND_FOR } = this.options;
    const { finding, take, record } = await this.#examine({ log, atStart, mark, behindFor });
    if (finding !== undefined) return finding;
    if (atStart) await take();
    else await this.#repair(record);
    if (record !== undefined && record.missing !== true && (await mark.read()) !== undefined) await this.#keep(record);
    return finding;
  }

  async #examine({ log, atStart, mark, behindFor }: Examination): Promise<Examined> {
    const [me, known] = [await this.#self(), await mark.read()];
    const record = await this.#recordOf(log, known);
    const take = (): Promise<void> => this.#take(log, record, me, known);
    if (record === undefined || (known !== undefined && known.identity !== record.identity)) {
      if (known === undefined) return { finding: undefined, take, record };
      if (record === undefined || (await log.head()) === 0n) return { finding: emptyFinding(known), take, record };
    }
    const all: FoundOfLog[] = [];
    if (known !== undefined && known.identity !== record.identity) {
      all.push({
        kind: 'identity',
        words: `This is another event log (${record.identity}) than the one (${known.identity}) with ${lastOf(known)}.`,
        found: [record.identity, known.identity, known.position, known.id],
      });
    } else if (known !== undefined && known.position > 0n) {
      const there = await this.#eventAt(log, known.position, behindFor);
      if (there === undefined || !isMarked(there, known)) {
        all.push({
          kind: 'mark',
          words:
            there === undefined
              ? `The event log ends before ${lastOf(known)}, or has lost it: an older copy was put back, or something was deleted.`
              : `The event log has another history: ${there.stream}@${there.revision} is in the place of ${lastOf(known)}.`,
          found: [known.identity, known.position, known.id, there?.id ?? ''],
        });
      }
    }
    const foreign = await ownerFinding(record, me, { atStart, log });
    if (foreign !== undefined) all.push(foreign);
    const [first, ...others] = all;
    if (first === undefined) {
      // For a running process, its watch over the key store reports this.
      const older = atStart && known !== undefined && (await this.#isKeyStoreOlder(mark, log));
      return {
        finding: older ? keyStoreFinding(known) : await this.#viewsAhead(log, record, behindFor),
        take,
        record,
      };
    }
    const head = await log.head();
    const last = head === 0n ? undefined : await log.eventAt(head);
    const finding = findingOf(
      first.kind,
      `${all.map(({ words }) => words).join(' ')} Put the right log back, which a running Holdfast notices by itself, or the right keys or setting, and start again.`,
      [...first.found, ...others.flatMap(({ kind, found }) => [kind, ...found]), head, last?.id ?? ''],
    );
    return { finding, take, record };
  }

  /** The finding that the log lacks what the furthest view has seen, unless an operator has accepted that. */
  async #viewsAhead(log: CheckedLog, { identity }: LogRecord, behindFor: number): Promise<Finding | undefined> {
    const { seenByViews, keyValues } = this.options;
    const all = (await seenByViews?.(identity)) ?? [];
    if (all.length === 0) return undefined;
    const { view, checkpoint } = all.reduce((a, b) => (b.checkpoint.position > a.checkpoint.position ? b : a));
    if (checkpoint.position === 0n) return undefined;
    const there = await this.#eventAt(log, checkpoint.position, behindFor);
    if (there?.id === checkpoint.event) return undefined;
    const finding = aheadOfLogFinding(`the view ${view}`, checkpoint, there?.id);
    return isLossAccepted(finding, checkpoint.position, await readAccepted(keyValues)) ? undefined : finding;
  }

  /** The event at a position that is known; waits for it if the log is only behind. */
  #eventAt(log: CheckedLog, position: Position, behindFor: number): Promise<Recorded | undefined> {
    const { time } = this.options.machine;
    const until = time.monotonic() + behindFor;
    return knownEventAt(log, position, {
      time,
      until: () => until,
      waits: () => this.options.waits('waits for the event log to reach its last known event'),
    });
  }

  async #self(): Promise<LogOwner> {
    const { keyValues, keyring, machine } = this.options;
    this.#me ??= {
      installation: await keyValues.insert(INSTALLATION_ENTRY, machine.randomness.uuid()),
      keys: keyring.hash('log-owner', 'holdfast'),
    };
    return this.#me;
  }

  /** Makes the log ours if it is nobody's, and begins the mark if there is none. */
  async #take(log: CheckedLog, record: LogRecord | undefined, me: LogOwner, known: Mark | undefined): Promise<void> {
    if (record === undefined) return;
    if (record.owner === undefined) await log.own(undefined, me);
    if (known !== undefined) return;
    await this.#keep((await log.record()) ?? record);
    await this.options.mark.reset(await this.#head(log, record));
  }

  async #accept({ code }: Finding, log: CheckedLog): Promise<void> {
    const { keyValues, mark } = this.options;
    const me = await this.#self();
    const known = await mark.read();
    const record = (await this.#recordOf(log, known)) ?? (await this.#lost(log, known));
    if (record === undefined) return;
    const head = await this.#head(log, record);
    if (known !== undefined) await keepMark(keyValues, known);
    await rememberAccepted(keyValues, { code, identity: head.identity, position: head.position.toString() });
    const { owner } = record;
    if (record.missing === true) await this.options.log.repeatRecord?.({ ...record, owner: me });
    else if (owner?.installation !== me.installation || owner.keys !== me.keys) await log.own(owner, me);
    await this.#keep((await log.record()) ?? record);
    await mark.reset(head);
    this.options.waits(`accepts the event log as it is, because an operator has accepted the finding ${code}`);
  }

  /** A log with events of ours, but without a record: an operator says that it is the known one. */
  async #lost(log: CheckedLog, known: Mark | undefined): Promise<LogRecord | undefined> {
    if (known === undefined || (await log.head()) === 0n) return undefined;
    return { identity: known.identity, owner: undefined, missing: true };
  }

  async #head(log: CheckedLog, { identity }: LogRecord): Promise<Mark> {
    const position = await log.head();
    const event = position === 0n ? undefined : await log.eventAt(position);
    if (event === undefined) return { identity, position: 0n, stream: '', revision: -1, id: '' };
    return { identity, position, stream: event.stream, revision: event.revision, id: event.id };
  }
}

function isMarked({ id, stream, revision }: Recorded, mark: Mark): boolean {
  return id === mark.id && stream === mark.stream && revision === mark.revision;
}
