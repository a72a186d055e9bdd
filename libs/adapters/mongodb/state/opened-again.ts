import { type FreshKeys, Unavailable } from '#eventsourcing';

/**
 * Reads and opens something sealed. If it does not open, both are done once more with the keys as they are now: a rotation may have
 * sealed it again, and destroyed the key before, while its bytes were on their way.
 */
export async function openedAgain<Opened>(
  keys: FreshKeys,
  open: (isAgain: boolean) => Promise<Opened>,
): Promise<Opened> {
  await keys.fresh();
  try {
    return await open(false);
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    await keys.refresh();
    return open(true);
  }
}
