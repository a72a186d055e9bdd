/** Control characters, line breaks and halves of characters; and blanks, of which several become one. */
const BLANKS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;

/**
 * A text as one line. Invisible characters stay: they join the parts of an emoji, and shape the letters of many scripts.
 */
export function oneLine(text: string): string {
  return text.replaceAll(BLANKS, ' ').trim();
}

/** The beginning of a text of at most so many UTF-16 units. It splits no surrogate pair. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

/** Letters that are written from right to left, and characters that set a direction. */
const TURNING =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [FIRST_STRONG, END] = ['\u2068', '\u2069'];

/**
 * A text for a place among other words, in a subject or plain text: whatever it contains, it does not turn them
 * (Unicode's "first strong isolate"). Nothing is taken from it but ends of isolates that it does not begin. In HTML an
 * element does this.
 */
export function isolated(text: string): string {
  return TURNING.test(text) ? `${FIRST_STRONG}${closed(text)}${END}` : text;
}

/** Ends every isolate of a text, also of one that was cut. */
export function closed(text: string): string {
  let open = 0;
  const kept = text.replaceAll(/[\u2066-\u2069]/g, (mark) => {
    if (mark === END && open === 0) return '';
    open += mark === END ? -1 : 1;
    return mark;
  });
  return `${kept}${END.repeat(open)}`;
}
