/**
 * The versions of a view that no build needs any more, once the present one has a live generation: those before the one before it.
 * That one stays, for a build that still runs beside this one, and for whoever goes back to it.
 * @param found the versions in a store, in any order and any number of times
 */
export function obsoleteVersions(found: readonly number[], present: number): readonly number[] {
  const before = [...new Set(found)].filter((version) => version < present);
  const last = Math.max(...before);
  return before.filter((version) => version !== last);
}
