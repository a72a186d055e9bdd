import type { FindingKind, CheckedLog, LogOwner, LogRecord } from '#eventsourcing';

/** What makes one finding with whatever else is found of the same log. */
export interface FoundOfLog {
  readonly kind: FindingKind;
  readonly words: string;
  readonly found: readonly (string | bigint)[];
}

/**
 * The finding about the owner that a log names, or about its having none: whoever writes the first event has taken the log
 * before.
 * @param atStart whether this process may still take a log that is nobody's
 */
export async function ownerFinding(
  { owner }: LogRecord,
  me: LogOwner,
  { atStart, log }: { readonly atStart: boolean; readonly log: Pick<CheckedLog, 'head'> },
): Promise<FoundOfLog | undefined> {
  if (owner !== undefined) {
    if (owner.installation !== me.installation) {
      return {
        kind: 'owner',
        words: `The event log belongs to another installation (${owner.installation}) than this one (${me.installation}). Each has its own log, keys and gateway: correct the settings that name them.`,
        found: [owner.installation, me.installation],
      };
    }
    if (owner.keys === me.keys) return undefined;
    return {
      kind: 'keys',
      words:
        'The event log was written with other keys: what was sealed with them cannot be opened, and no credential fits.',
      found: [owner.keys, me.keys],
    };
  }
  if (!atStart) return { kind: 'unowned', words: 'The event log no longer names its owner.', found: [] };
  if ((await log.head()) === 0n) return undefined;
  return {
    kind: 'unowned',
    words: 'The event log names no owner, although it has events: somebody has removed it.',
    found: [],
  };
}
