import { count, span } from './format.js';
import type { Health, Live } from './live.js';

/** Something that is wrong, and what to do about it. */
export interface Problem {
  readonly tone: 'bad' | 'warn';
  readonly what: string;
  readonly todo: string;
  /** Where on the console to do it. */
  readonly to?: string;
}

/** Views that are more events behind than this are late. */
const LATE = 1_000;
/** Milliseconds after which a backup is old. */
const OLD = 30 * 60 * 60_000;

/** What is wrong with the service, the worst first. */
export function problemsOf({ log, findings, more_findings, views, queue, audit, stuck }: Health): readonly Problem[] {
  const found: Problem[] = [];
  if (log.state !== 'writing')
    found.push({
      tone: 'bad',
      what: `The log takes no events: ${log.error ?? log.state}`,
      todo: 'Nothing can be sold. Run `holdfast doctor`: it says what hinders the log.',
    });
  for (const { code, stream, message } of findings)
    found.push({
      tone: 'bad',
      what: `${message}${placeOf(stream)}`,
      todo: `The finding ${code} stops decisions. docs/ownership.md says what to do about it.`,
    });
  if (more_findings > 0)
    found.push({
      tone: 'bad',
      what: `${count(more_findings)} more findings.`,
      todo: 'The process log has all of them.',
    });
  for (const { view, state, error } of views.filter((each) => each.state !== 'live'))
    found.push({
      tone: state === 'building' ? 'warn' : 'bad',
      what: `The view ${view} is ${state}${error === null ? '' : `: ${error}`}`,
      todo: state === 'building' ? 'Reads wait until it is built.' : 'Look at it, let it try again, or build it again.',
      to: `/projections/${view}`,
    });
  const late = views.filter(({ lag }) => lag !== null && lag > LATE);
  const [slowest] = late.toSorted((one, other) => (other.lag ?? 0) - (one.lag ?? 0));
  if (slowest !== undefined)
    found.push({
      tone: 'warn',
      what: `${count(late.length)} views are behind, ${slowest.view} by ${count(slowest.lag ?? 0)} events.`,
      todo: 'They catch up by themselves, unless more is written than they read.',
      to: '/projections',
    });
  if (stuck === null)
    found.push({
      tone: 'warn',
      what: 'Nobody knows how much work is stuck.',
      todo: 'The work lists do not answer now.',
    });
  else if (stuck > 0)
    found.push({
      tone: 'bad',
      what: `${count(stuck)} ${stuck === 1 ? 'piece of work keeps' : 'pieces of work keep'} failing.`,
      todo: 'It is tried again by itself. Its list says why it fails, and tries it at once.',
      to: '/work',
    });
  if (queue.state !== 'working')
    found.push({ tone: 'warn', what: queue.error ?? 'Redis is away.', todo: 'Start Redis, or check REDIS_URL.' });
  for (const { where, message } of audit?.findings ?? [])
    found.push({
      tone: 'bad',
      what: `The self-audit: ${message}${placeOf(where)}`,
      todo: 'Run `holdfast verify`. docs/ownership.md says what a change by hand in the log means.',
    });
  return found;
}

/** What the figures say is wrong. */
export function oversold({ newest }: Live): readonly Problem[] {
  const units = newest.values['units_oversold'] ?? 0;
  if (units === 0) return [];
  return [
    {
      tone: 'bad',
      what: `${count(units)} units are held or sold beyond the stock of their deals.`,
      todo: '`holdfast deals certificate <deal>` names the first event that breaks a rule. Run `holdfast verify`, too.',
      to: '/deals?state=in-flight',
    },
  ];
}

/** The backups that the service knows of. */
export interface Backups {
  /** The last one that the service was told to take. */
  readonly backup: { readonly failure: string | null } | null;
  /** The newest one in `BACKUP_DIR`, whoever took it; null without that folder. */
  readonly newest: { readonly at: string | null } | null;
}

/** What is wrong with the backups. */
export function backupProblem({ backup, newest }: Backups): Problem | undefined {
  const todo = 'Press “Back up”, or see that `holdfast backup` runs beside the service.';
  if (typeof backup?.failure === 'string')
    return { tone: 'bad', what: `The last backup failed: ${backup.failure}`, todo };
  if (newest === null)
    return {
      tone: 'warn',
      what: 'The service knows of no backup: `BACKUP_DIR` is not set, or cannot be read.',
      todo: 'Take one with `holdfast backup <folder>`, and set `BACKUP_DIR` to where the backups are.',
    };
  if (newest.at === null) return { tone: 'bad', what: 'There is no backup yet.', todo };
  const age = Date.now() - Date.parse(newest.at);
  return age > OLD ? { tone: 'warn', what: `The newest backup is ${span(age)} old.`, todo } : undefined;
}

/** Where it is, in brackets; empty if nobody knows. */
const placeOf = (of: string | null | undefined): string => (of === null || of === undefined ? '' : ` (${of})`);
