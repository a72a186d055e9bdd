/**
 * Does the work for each item, for at most `most` of them at a time. After a failure it begins no more, waits for those under
 * way, and throws the first failure.
 */
export async function atOnce<T>(most: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const failures: unknown[] = [];
  const next = async (): Promise<void> => {
    for (const item of left) {
      if (failures.length > 0) return;
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, next));
  if (failures.length > 0) throw failures[0];
}
