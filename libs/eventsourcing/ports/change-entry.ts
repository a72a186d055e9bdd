import type { KeyValueStore } from './key-value-store.js';

/**
 * Changes an entry that others may change too. If somebody does meanwhile, the change is made again, of what they wrote. Only
 * a new entry that several make with the same text counts as made by each of them.
 * @param change returns the new text of the present one; undefined, or the same text, changes nothing. It may run several times
 * @returns the text that the entry has then
 */
export async function changeEntry(
  keyValues: KeyValueStore,
  name: string,
  change: (text: string | undefined) => string | undefined,
): Promise<string | undefined> {
  for (;;) {
    const text = await keyValues.get(name);
    const wanted = change(text);
    if (wanted === undefined || wanted === text) return text;
    const isChanged =
      text === undefined
        ? (await keyValues.insert(name, wanted)) === wanted
        : await keyValues.replace(name, text, wanted);
    if (isChanged) return wanted;
  }
}
