import { type Time, type Timer, describeFinding, Unavailable } from '#eventsourcing';
import { FAULTS } from '#eventsourcing/verify';
import { isoTime, SECOND } from '#kernel';
import type { Role } from '../config.js';
import type { Service } from '../service.js';

export interface ViewHealth {
  readonly view: string;
  readonly state: string;
  /** How many events the view is behind the log; null: unknown yet. */
  readonly lag: number | null;
  readonly error: string | null;
}

/** Whether the service can do its work (ruling G11). */
export interface Health {
  readonly ready: boolean;
  /** Whether the start has made the first tokens and the demo, and the views have reached them. */
  readonly initialized: boolean;
  readonly log: {
    readonly state: 'writing' | 'failed' | 'refused';
    readonly head: string;
    readonly error: string | null;
    /** Events of other programs that the log's server has delivered. */
    readonly events_of_others: number;
  };
  /** Findings that stop decisions until an operator accepts them or puts right what they name. */
  readonly findings: readonly { readonly code: string; readonly stream: string | null; readonly message: string }[];
  /** How many more findings there are; the process log has all. */
  readonly more_findings: number;
  readonly views: readonly ViewHealth[];
  /** What wakes the work that is due. Without it sales go on, so it hinders nobody from being ready. */
  readonly queue: {
    readonly in: 'process' | 'Redis';
    readonly state: 'working' | 'degraded';
    readonly error: string | null;
  };
  /** What the self-audit says of the log; null if none runs. */
  readonly audit: AuditHealth | null;
  /** null: unknown at the moment. */
  readonly stuck: number | null;
}

/** What the self-audit says of the log. It hinders nobody from being ready. */
export interface AuditHealth {
  /** When the last whole pass ended; null before the first one. */
  readonly last_ended: string | null;
  /** Seconds since then. */
  readonly age: number | null;
  /** How many events that pass checked. */
  readonly events: number | null;
  /** How far the present pass is, from 0 to 1; null between two passes, and if another process audits. */
  readonly progress: number | null;
  readonly findings: readonly { readonly code: string; readonly where: string | null; readonly message: string }[];
  /** How many more there are; the process log has them. */
  readonly more_findings: number;
}

/** The service is not ready while a view is more events behind than this. */
const MOST_LAG = 10_000;
/** A projector reports every few seconds. After this many milliseconds of silence, its last report does not count any more. */
const SILENT_AFTER = 15_000;

/** What waits, and what does not: the clock alone ends holds, and calls charge by themselves. */
const REDIS_AWAY =
  'Redis does not answer (REDIS_URL). Sales go on, and holds end in time. Mails of batches, charges and refunds without an answer of the gateway, and work that a crash interrupted, wait until Redis is back';

/** How long the log may take to answer, in milliseconds. */
const ASKED_FOR = 2_000;

/** That the projector does not report, and what to check. @param silence since when, in milliseconds */
export function unheard(role: Role, silence = Infinity): string {
  const since = silence === Infinity ? ' yet' : ` for ${Math.round(silence / 1_000)} s`;
  return `no report from the projector${since}${role === 'all' ? '' : ': does a worker run?'}`;
}

export class ServiceHealth {
  /** @param stuck how much work keeps failing; null: unknown at the moment */
  constructor(
    private readonly service: Service,
    private readonly stuck: () => Promise<number | null> = () => stuckNow(service),
  ) {}

  async check(): Promise<Health> {
    const { projections, initialized, role } = this.service;
    const silence = projections.silentFor();
    const broken = projections.failure();
    const silent = broken === undefined && silence > SILENT_AFTER;
    const failure = silent ? unheard(role, silence) : broken;
    const views = (projections.report()?.views ?? []).map(({ view, state, lagEvents, error }) => ({
      view,
      state: failure === undefined ? state : silent ? 'silent' : 'stopped',
      lag: lagEvents,
      error: failure ?? error,
    }));
    // The projector broke before it could name its views.
    if (views.length === 0 && failure !== undefined)
      views.push({ view: 'all', state: 'stopped', lag: 0, error: failure });
    const viewsReady =
      views.length > 0 && views.every(({ state, lag }) => state === 'live' && lag !== null && lag <= MOST_LAG);
    const [log, stuck] = await Promise.all([this.log(), this.stuck()]);
    const { guard, ledger } = this.service;
    const findings = [...guard.findings, ...ledger.findings].map((finding) => ({
      code: finding.code,
      stream: finding.stream ?? null,
      message: describeFinding(finding),
    }));
    const ready = initialized && log.state === 'writing' && findings.length === 0 && viewsReady && stuck !== null;
    const queue = this.#queue();
    const audit = this.#audit();
    return { ready, initialized, log, findings, more_findings: guard.unreported, views, queue, audit, stuck };
  }

  #audit(): AuditHealth | null {
    const { audits, engine } = this.service;
    const status = audits.selfAudit();
    if (status === undefined) return null;
    const { last, progress, faults, count } = status;
    return {
      last_ended: last === undefined ? null : isoTime(last.at),
      age: last === undefined ? null : Math.max(0, Math.round((engine.clock.now() - last.at) / SECOND)),
      events: last?.events ?? null,
      progress,
      findings: faults.map(({ kind, where, position, what }) => ({
        code: kind,
        where: where ?? (position === null ? null : `position ${position}`),
        message: `${what}. ${FAULTS[kind]}`,
      })),
      more_findings: Math.max(0, count - faults.length),
    };
  }

  #queue(): Health['queue'] {
    const away = this.service.isRedisAway();
    const where = away === undefined ? 'process' : 'Redis';
    return away === true
      ? { in: where, state: 'degraded', error: REDIS_AWAY }
      : { in: where, state: 'working', error: null };
  }

  /** The state of the log. If the log does not answer, the head is the last position that the projector knew. */
  async log(): Promise<Health['log']> {
    const { engine, guard, logStalled, logRefusals, projections, logFailure } = this.service;
    const failure = logFailure() ?? refusedIn(logRefusals()) ?? (logStalled() ? 'appends get no answer' : undefined);
    const { head: last = 0n, eventsOfOthers = 0 } = projections.report() ?? {};
    let head = last;
    let error = failure ?? null;
    try {
      head = await inTime(engine.log.head(), engine.time);
    } catch (thrown) {
      error ??= thrown instanceof Error ? thrown.message : String(thrown);
    }
    if (guard.refused || guard.wrongClock !== undefined) {
      return {
        state: 'refused',
        head: head.toString(),
        error: 'it needs an operator: see findings',
        events_of_others: eventsOfOthers,
      };
    }
    if (error === null && guard.uncertain)
      error = 'the service does not know at the moment whether the log is whole and its own';
    if (error === null && guard.lapsed)
      error = 'the log has not renewed this process’s right to write to it (its lease): check that it takes appends';
    return {
      state: error === null ? 'writing' : 'failed',
      head: head.toString(),
      error,
      events_of_others: eventsOfOthers,
    };
  }
}

/** How much work keeps failing, from the views of all work lists; null: unknown at the moment. */
export async function stuckNow(service: Pick<Service, 'stuck'>): Promise<number | null> {
  try {
    return (await service.stuck()).length;
  } catch {
    // Whatever hinders it, such as a view that is gone: operators need the rest of the answer then.
    return null;
  }
}

/** The most refusals of the log's server that health shows. */
const MOST_REFUSALS = 5;

function refusedIn(refusals: readonly string[]): string | undefined {
  if (refusals.length === 0) return undefined;
  const more = refusals.length > MOST_REFUSALS ? `; and ${refusals.length - MOST_REFUSALS} more` : '';
  return refusals.slice(0, MOST_REFUSALS).join('; ') + more;
}

/** Bounds how long a health check waits for the log. */
async function inTime<T>(answer: Promise<T>, time: Time): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = time.after(ASKED_FOR, () => reject(new Unavailable('the event log does not answer')));
  });
  return Promise.race([answer, late]).finally(() => time.cancel(timer));
}
