import type { Writer } from '#eventsourcing';
import { isUserOf } from '#people';

/** Users that are looked up at a time. */
const TOGETHER = 200;

/** Those of the ids that name visible users of the partner, each once, in the order given. */
export async function findRecipients(
  writer: Writer,
  partnerId: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const each = [...new Set(ids)];
  const found: string[] = [];
  for (let at = 0; at < each.length; at += TOGETHER) {
    const some = each.slice(at, at + TOGETHER);
    const known = await Promise.all(some.map((id) => isUserOf(writer, partnerId, id)));
    found.push(...some.filter((_, index) => known[index]));
  }
  return found;
}
