import { createHash } from 'node:crypto';
import { beginning } from '#kernel';
import type { EventLogReader } from '../ports/event-log.js';
import type { Finding } from '../ports/finding.js';

/**
 * Makes a finding.
 * @param found exactly what was found, its kind first; the code is made from it
 */
export function findingOf(
  words: string,
  found: readonly (string | number | bigint | null)[],
  stream?: string,
): Finding {
  const text = JSON.stringify([stream ?? null, ...found.map((each) => (typeof each === 'bigint' ? `${each}n` : each))]);
  return {
    code: createHash('sha256').update(text).digest('hex').slice(0, 12),
    kind: String(found[0]),
    stream,
    words: cut(words),
  };
}

/** The words contain names that others have chosen. This is the most characters shown. */
const LONGEST_WORDS = 2_000;

function cut(words: string): string {
  return words.length > LONGEST_WORDS ? `${beginning(words, LONGEST_WORDS)}…` : words;
}

/** Kinds of findings that an operator cannot accept: their words say the way out. */
const NOT_ACCEPTED: ReadonlySet<string> = new Set([
  'lease',
  'clock',
  'unreadable',
  'key store',
  'accepted elsewhere',
  'too many',
  'unknown stream',
]);

/**
 * Kinds of findings that end by themselves when the earlier log is back, or an operator accepted the state at another
 * process. A key store is restored document by document, so nobody knows when it is complete.
 */
const GOES_BY: ReadonlySet<string> = new Set([
  'empty',
  'identity',
  'mark',
  'owner',
  'keys',
  'unowned',
  'unreadable',
  'accepted elsewhere',
]);

/**
 * Whether all findings of the whole log are of kinds that end by themselves. A start examines views that are ahead of the
 * log again.
 */
export function mayResolveItself(findings: readonly Finding[]): boolean {
  const whole = findings.filter(({ stream }) => stream === undefined);
  return whole.some(({ kind }) => GOES_BY.has(kind)) && whole.every(({ kind }) => GOES_BY.has(kind) || kind === 'view');
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
  if (NOT_ACCEPTED.has(kind)) return words;
  return `${words} To continue anyway, start again with ACCEPT=${code}.`;
}
