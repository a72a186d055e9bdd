import { CONSOLE } from '#kernel/bounds';
import { parsedJson, type Instant } from '#kernel';

/** A session of a browser, as it is kept: nobody can sign in with what is in it. */
export interface KeptSession {
  /** A keyed hash of the secret in the cookie. */
  readonly hash: string;
  /** A keyed hash of the token that it was begun with. */
  readonly credential: string;
  readonly begun: Instant;
  /** When it was last used, at most a minute ago. */
  readonly used: Instant;
}

/** The sessions that have not ended. */
export function livingIn(text: string | undefined, now: Instant): readonly KeptSession[] {
  const kept = text === undefined ? [] : ((parsedJson(text) ?? []) as readonly KeptSession[]);
  return kept.filter(({ begun, used }) => now < begun + CONSOLE.lasts && now < used + CONSOLE.idle);
}

/** The sessions with one more. Beyond the bounds, those that were used least recently end. */
export function withSession(living: readonly KeptSession[], added: KeptSession): readonly KeptSession[] {
  const ofToken = living.filter(({ credential }) => credential === added.credential);
  const tooMany = new Set(leastUsed(ofToken, CONSOLE.ofToken - 1));
  const others = living.filter((each) => !tooMany.has(each));
  const ended = new Set(leastUsed(others, CONSOLE.sessions - 1));
  return [...others.filter((each) => !ended.has(each)), added];
}

/** Those that must end so that at most so many stay. */
function leastUsed(sessions: readonly KeptSession[], most: number): readonly KeptSession[] {
  return sessions.toSorted((a, b) => a.used - b.used).slice(0, Math.max(0, sessions.length - most));
}
