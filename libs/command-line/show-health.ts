import { ExitCode } from './command-failure.js';
import type { Session } from './session.js';
import { show } from './show.js';

/** The health of the service, as far as people see it (ruling G11). */
interface Health {
  readonly status: 'success' | 'error';
  readonly version: string;
  readonly commit: string;
  readonly initialized: boolean;
  readonly log: { readonly state: string; readonly head: string; readonly error: string | null };
  readonly findings: readonly { readonly message: string }[];
  readonly views: readonly object[];
  readonly queue?: { readonly in: string; readonly state: string };
  readonly audit?: {
    readonly last_ended: string | null;
    readonly findings: readonly { readonly where: string | null; readonly message: string }[];
    readonly more_findings: number;
  } | null;
  readonly stuck: number | null;
}

/** Shows whether the service is ready, and what hinders it. The exit code says it too. */
export async function showHealth({ service, output, endWith }: Session): Promise<void> {
  const health = await service.ask<Health>('GET', '/health/ready', { unready: true });
  const { status, version, commit, initialized, log, findings, views, queue, audit, stuck } = health;
  const ready = status === 'success';
  show(output, health, {
    fields: {
      ready,
      version,
      commit,
      initialized,
      log: log.state,
      head: log.head,
      log_error: log.error,
      work_waits_in: queue?.in,
      work: queue?.state,
      stuck,
      audited: audit?.last_ended,
      audit_findings: audit === undefined || audit === null ? null : wordsOf(audit),
      findings: findings.length === 0 ? null : findings.map(({ message }) => message).join(' '),
    },
    columns: ['view', 'state', 'lag', 'error'],
    rows: views,
  });
  if (!ready) endWith(ExitCode.unreachable);
}

/** What the self-audit has found, in words; null for nothing. */
function wordsOf({ findings, more_findings }: NonNullable<Health['audit']>): string | null {
  if (findings.length === 0) return null;
  const more = more_findings === 0 ? [] : [`and ${more_findings} more`];
  return [...findings.map(({ where, message }) => `${where ?? 'the log'}: ${message}`), ...more].join(' ');
}
