import { type RunningService } from '../../support/running-service.js';

/** Calls at once. */
const AT_ONCE = 64;

/** The ids of so many new users of a partner. */
export async function crowdOf(service: RunningService, key: string, users: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let from = 0; from < users; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, users - from) }, (_, index) => from + index);
    ids.push(...(await Promise.all(some.map((index) => service.newUser(key, `one-of-many-${index}@crowd.example`)))));
  }
  return ids;
}
