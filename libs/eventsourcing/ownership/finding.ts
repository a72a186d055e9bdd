import { createHash } from 'node:crypto';

/**
 * Something that contradicts that the log, or a stream of it, is whole and ours. Nothing is decided on what a finding
 * concerns until an operator accepts it by its code, in the setting ACCEPT.
 */
export interface Finding {
  /** Names this finding and no other one: a setting that is left in place never accepts the next one. */
  readonly code: string;
  /** Of what sort it is. */
  readonly kind: string;
  /** The stream that it concerns; undefined: the whole log. */
  readonly stream: string | undefined;
  /** Of a stream with a gap: the first revision that it lacks. */
  readonly from?: number;
  /** Of a stream with a gap: the events that it lacks stand below this revision. */
  readonly below?: number;
  /** Of an event that is not ours: its revision, which the stream lacks once the event is accepted. */
  readonly at?: number | undefined;
  /** For operators: what was found, and what accepting it loses. */
  readonly words: string;
}

/**
 * Makes a finding.
 * @param found exactly what was found, which the code is made of; its sort comes first
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

/** Names that others have chosen stand in the words: so many characters of them are told. */
const LONGEST_WORDS = 2_000;

function cut(words: string): string {
  return words.length > LONGEST_WORDS ? `${words.slice(0, LONGEST_WORDS)}…` : words;
}

/** Sorts of findings by which nothing is lost that an operator could take upon themselves: their words say the way out. */
const NOT_ACCEPTED: ReadonlySet<string> = new Set([
  'lease',
  'clock',
  'unreadable',
  'key store',
  'accepted elsewhere',
  'too many',
]);

/**
 * Sorts of findings that go by once the log that was there before is there again, or the state that an operator accepted
 * elsewhere. A key store is put back document by document: of that nobody can tell when it is whole.
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

/** Whether nothing was found of the whole log, or with it, but what goes by. A view that was beyond the log is looked at anew. */
export function mayResolveItself(findings: readonly Finding[]): boolean {
  const whole = findings.filter(({ stream }) => stream === undefined);
  return whole.some(({ kind }) => GOES_BY.has(kind)) && whole.every(({ kind }) => GOES_BY.has(kind) || kind === 'view');
}

/** A finding as operators read it, with the way out. */
export function describeFinding({ kind, words, code }: Finding): string {
  if (NOT_ACCEPTED.has(kind)) return words;
  return `${words} To go on all the same, start again with ACCEPT=${code}.`;
}
