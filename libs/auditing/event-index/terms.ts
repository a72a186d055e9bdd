import type { Recorded } from '#kernel';
import { TYPES_WITH_WORDS } from '../words/table.js';

/** The roles whose events are found together: what partners and the service itself do is most of the log. */
export const ROLES = ['operator', 'auditor', 'user'] as const;

/** A type without its version, which an upcaster may raise. */
export const withoutVersion = (type: string): string => type.replace(/\.v\d+$/, '');

/** An actor without the key or token that it used. */
function withoutKey(actor: string): string {
  const end = actor.indexOf('/');
  return end < 0 ? actor : actor.slice(0, end);
}

/** Whether an actor is a whole role. */
export const isRole = (actor: string): boolean => ROLES.some((role) => role === actor);

/** The terms by which an event is found. */
export function termsOf({ type, metadata: { actor } }: Pick<Recorded, 'type' | 'metadata'>): readonly string[] {
  const role = ROLES.find((each) => actor.startsWith(`${each}:`));
  return [termOfType(type), `actor:${withoutKey(actor)}`, ...(role === undefined ? [] : [`role:${role}`])];
}

/** The terms that events of an actor or a role, and of one of some types, have: one of each list. */
export function termsFor(
  actor: string | undefined,
  types: readonly string[] | undefined,
): readonly (readonly string[])[] {
  return [
    ...(actor === undefined ? [] : [[isRole(actor) ? `role:${actor}` : `actor:${withoutKey(actor)}`]]),
    ...(types === undefined ? [] : [[...new Set(types.map(termOfType))]]),
  ];
}

const madeTermOf = (type: string): string => `type:${withoutVersion(type)}`;

/** Made once: each event of the log asks for one. */
const TERMS_OF_TYPES: ReadonlyMap<string, string> = new Map(
  [...TYPES_WITH_WORDS].map((type) => [type, madeTermOf(type)]),
);

const termOfType = (type: string): string => TERMS_OF_TYPES.get(type) ?? madeTermOf(type);
