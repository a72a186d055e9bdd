/**
 * Finds things by their names. Of two with one name, a plain map would silently keep the second.
 * @param what for the error, such as `tables of followers`
 * @throws Error that names the two
 */
export function namedOnce<Thing>(
  what: string,
  things: readonly Thing[],
  nameOf: (thing: Thing) => string,
): ReadonlyMap<string, Thing> {
  const found = new Map<string, Thing>();
  for (const thing of things) {
    const name = nameOf(thing);
    if (found.has(name)) throw new Error(`there are two ${what} with the name ${name}`);
    found.set(name, thing);
  }
  return found;
}
