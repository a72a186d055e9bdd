/**
 * Bounds, in characters, of the texts that stand in the event of one sale. With the most units, each with its code, it fits
 * one append whatever the characters are, and so do the events that follow from it: a living hold can always be claimed.
 */
export const MOST_OF_CODE = 100;
export const MOST_OF_TITLE = 1_000;
export const MOST_OF_IMAGE = 2_000;
export const MOST_OF_SESSION = 255;

/** Whether a text takes at most three bytes a character in an event: control characters and halves of pairs are escaped. */
export function isPlain(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text);
}
