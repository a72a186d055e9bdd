import type { EventLogReader, Finding, SnapshotStore, Time, ViewReaders } from '#eventsourcing/ports';
import { type AcceptedLoss, isMissingKnown } from '#eventsourcing/projections';
import {
  bounded,
  type Checked,
  type Fault,
  LogOrder,
  nothingChecked,
  type Part,
  RowCheck,
  SnapshotCheck,
  StreamCheck,
  walkLog,
} from '#eventsourcing/verify';
import type { Position, Recorded } from '#kernel';
import { aheadAfter } from '#operations/model';
import { ChargeCheck, type LedgerCharges } from './charge-check.js';
import { codec, deciders, eventTypes, followers, openFollowers, streamRules, views } from '../registry.js';

/** What an audit reads. */
export interface AuditGround {
  readonly log: EventLogReader;
  readonly views: ViewReaders;
  readonly snapshots: SnapshotStore;
  /** By category: the digest of the fold that snapshots of this build have. */
  readonly digests: Readonly<Record<string, string>>;
  readonly accepted: AcceptedLoss;
  readonly time: Time;
}

/** One way through the log: what is looked at on it. */
export interface AuditJob {
  /** Events after this position, up to the other one. */
  readonly after: Position;
  readonly until: Position;
  /** Whether to check the order of all events. */
  readonly order: boolean;
  /** The streams to fold again; absent for none. */
  readonly streams?: Part;
  /** The rows to fold again, which only makes sense from the beginning; absent for none. */
  readonly rows?: Part;
  /** What the gateway's ledger says was charged; absent if it is not compared. */
  readonly ledger?: LedgerCharges;
  /** The most bytes that folded streams hold. */
  readonly bytes: number;
}

/** Hears of an audit while it goes on. */
export interface AuditListener {
  readonly fault: (fault: Fault) => void;
  /** A stream lacks events, as the service would find when it loads the stream. */
  readonly found: (finding: Finding) => void;
  /** Called often: rests, or lets others have their turn. */
  readonly between: (position: Position) => Promise<void> | undefined;
  readonly signal: AbortSignal;
}

/** What one way through the log has looked at. */
export interface AuditResult {
  readonly checked: Checked;
  /** Views that were not compared, each with the reason. */
  readonly without: Readonly<Record<string, string>>;
  /** How many rows each compared view has by its events. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Goes through the log once. It holds a bounded number of bytes for streams; a part of rows must fit into memory. */
export async function auditPass(ground: AuditGround, job: AuditJob, on: AuditListener): Promise<AuditResult> {
  const { log, accepted } = ground;
  const { after, until } = job;
  const checked = nothingChecked();
  const report = (fault: Fault): void => on.fault(bounded(fault));
  const isKnown = (finding: Finding): boolean => isMissingKnown(finding, accepted);
  const dense = job.order && log.dense === true;
  const order = new LogOrder({ dense, movesClock, isKnown, report: job.order ? report : () => undefined }, after);
  // Streams need it too: how far clocks may differ depends on moves of the test clock.
  const orders = job.order || job.streams !== undefined;
  const streams = job.streams && streamCheck(ground, job, job.streams, { checked, report, isKnown, order, on });
  const rows = job.rows && rowCheck(ground, job.rows, { checked, report, on });
  const charges = job.ledger === undefined ? [] : [new ChargeCheck(job.ledger, report, checked)];
  let broken: string | undefined;
  const walk = {
    log,
    codec,
    checks: [
      ...(orders ? [{ take: (stored: Recorded) => order.take(stored) }] : []),
      ...(streams ? [streams] : []),
      ...(rows ? [rows] : []),
      ...charges,
    ],
    between: on.between,
    unreadable: ({ message }: Error) => {
      broken = message;
      // Each part of an audit meets it.
      const what = `${message}: it and what follows it were not checked`;
      if (job.order) report({ kind: 'shape', where: null, position: null, what });
    },
    signal: on.signal,
  };
  checked.events = await walkLog(walk, after, until);
  if (on.signal.aborted) return { checked, without: {}, sizes: new Map() };
  // What is left of streams and rows does not fit the part that was read.
  if (broken !== undefined) return { checked, without: uncompared(broken), sizes: new Map() };
  await streams?.end();
  const sizes = rows?.sizes ?? new Map<string, number>();
  let position = until;
  await rows?.compare(async (to) => {
    await walkLog({ ...walk, checks: [rows] }, position, to);
    if (to > position) position = to;
  });
  return { checked, without: rows?.without ?? {}, sizes };
}

/** All views, with the reason for which none was compared. */
const uncompared = (reason: string): Readonly<Record<string, string>> =>
  Object.fromEntries(views.map(({ name }) => [name, reason]));

const movesClock = (event: Recorded): boolean => aheadAfter(event) !== undefined;

interface Around {
  readonly checked: Checked;
  readonly report: (fault: Fault) => void;
  readonly on: AuditListener;
}

function streamCheck(
  { log, views: readers, snapshots, digests, time }: AuditGround,
  { bytes }: AuditJob,
  part: Part,
  {
    checked,
    report,
    isKnown,
    order,
    on,
  }: Around & { readonly isKnown: (finding: Finding) => boolean; readonly order: LogOrder },
): StreamCheck {
  const folds = deciders.flatMap((decider) => {
    const digest = digests[decider.category];
    return digest === undefined ? [] : [{ decider, digest }];
  });
  return new StreamCheck({
    log,
    codec,
    model: { deciders, events: eventTypes, followers, rules: streamRules },
    snapshots: new SnapshotCheck({ store: snapshots, folds, log: log.identity, report, checked }),
    part,
    bytes,
    report,
    checked,
    found: on.found,
    isKnown,
    hasJustMoved: ({ position }) => order.hasJustMoved(position),
    isOpen: openWork(readers, time),
  });
}

/** How long it waits for the work list of followers, in milliseconds. */
const PATIENCE = 5_000;
const LOOKS_EVERY = 50;

/**
 * Whether the work list has what follows from a decision of one stream in another. While the list is built, nobody can say that it
 * has not. The stored position of a list that no event changes stays behind: after a while, that says nothing.
 */
function openWork(readers: ViewReaders, time: Time): (decision: Recorded, follower: string) => Promise<boolean> {
  const reader = readers.reader(openFollowers.view);
  let left = PATIENCE;
  return async ({ stream, position }, follower) => {
    for (;;) {
      readers.refresh();
      const reached = await reader.position().catch(() => undefined);
      if (reached === undefined) return true;
      if ((await reader.get(`${stream}>${follower}`)) !== undefined) return true;
      if (reached >= position || left <= 0) return false;
      left -= LOOKS_EVERY;
      await time.pause(LOOKS_EVERY);
    }
  };
}

function rowCheck({ views: readers, time }: AuditGround, part: Part, { checked, report, on }: Around): RowCheck {
  return new RowCheck({
    views: views.map((view) => ({ view, reader: readers.reader(view) })),
    part,
    report,
    checked,
    async between() {
      readers.refresh();
      await (on.between(0n) ?? time.turn());
    },
    wait: () => time.pause(LOOKS_EVERY, { signal: on.signal }),
  });
}
