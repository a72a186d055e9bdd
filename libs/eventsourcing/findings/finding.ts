import { createHash } from 'node:crypto';
import { beginning } from '#kernel';
import type { EventLogReader } from '../ports/event-log.js';
import type { Finding, FindingKind } from '../ports/finding.js';
import { FINDING_KINDS, isAcceptable } from './finding-kinds.js';

/**
 * Makes a finding.
 * @param words what was found; what accepting it loses is added to them
 * @param found exactly what was found; the code is made from it
 */
export function findingOf(
  kind: FindingKind,
  words: string,
  found: readonly (string | number | bigint | null)[],
  stream?: string,
): Finding {
  const exactly = [kind, ...found].map((each) => (typeof each === 'bigint' ? `${each}n` : each));
  return {
    code: createHash('sha256')
      .update(JSON.stringify([stream ?? null, ...exactly]))
      .digest('hex')
      .slice(0, 12),
    kind,
    stream,
    words: withLoss(kind, words),
  };
}

/** The words contain names that others have chosen. This is the most characters shown. */
const LONGEST_WORDS = 2_000;

/** The words, cut if they are too long, and what accepting loses. */
function withLoss(kind: FindingKind, words: string): string {
  const { accepting } = FINDING_KINDS[kind];
  const loss = accepting === null ? '' : ` ${accepting}`;
  const longest = LONGEST_WORDS - loss.length;
  return `${words.length > longest ? `${beginning(words, longest)}…` : words}${loss}`;
}

/**
 * Whether all findings of the whole log are of kinds that end by themselves. A start examines views that are ahead of the
 * log again.
 */
export function mayResolveItself(findings: readonly Finding[]): boolean {
  const whole = findings.filter(({ stream }) => stream === undefined);
  return (
    whole.some(({ kind }) => FINDING_KINDS[kind].resolvesItself) &&
    whole.every(({ kind }) => FINDING_KINDS[kind].resolvesItself || kind === 'view')
  );
}

/**
 * Whether all findings of the whole log are of views, and the log has what these have seen: then an older copy was there for a
 * while, and what a view found of it came to light when the log was right again.
 */
export async function haveViewsGoneBy(
  findings: readonly Finding[],
  log: Pick<EventLogReader, 'eventAt'>,
): Promise<boolean> {
  const whole = findings.filter(({ stream }) => stream === undefined);
  for (const { seen } of whole) {
    if (seen === undefined || (await log.eventAt(BigInt(seen.position)))?.id !== seen.event) return false;
  }
  return whole.length > 0;
}

/** A finding and the way out, as text for operators. */
export function describeFinding({ kind, words, code }: Finding): string {
  if (!isAcceptable(kind)) return words;
  return `${words} To continue anyway, start again with ACCEPT=${code}.`;
}
