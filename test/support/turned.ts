/** Characters that turn a line: an override, and a Hebrew letter. */
export const TURNS = '\u202eא';

/** Elements that keep what they hold from turning the words around them. */
const APART = /^<(bdi|[a-z0-9]+ [^>]*dir="auto"[^>]*)>$/;

/**
 * The places of a page where `TURNS` could turn words around it, with what stands before. Within a tag it turns nothing. Among
 * words it is in an element that begins with such a text, as a name or a line of an address has several parts, or it is
 * isolated by marks there; a title has no elements, only marks.
 */
export function turningIn(page: string): readonly string[] {
  const found: string[] = [];
  for (let at = page.indexOf(TURNS); at >= 0; at = page.indexOf(TURNS, at + 1)) {
    const before = page.slice(0, at);
    const [open, end] = [before.lastIndexOf('<'), before.lastIndexOf('>')];
    if (open > end) continue;
    const [tag, words] = [before.slice(open, end + 1), before.slice(end + 1)];
    const isMarked = words.endsWith('\u2068');
    const isApart = APART.test(tag)
      ? words === '' || words.startsWith(TURNS) || isMarked
      : tag === '<title>' && isMarked;
    if (!isApart) found.push(page.slice(Math.max(0, at - 60), at + 20));
  }
  return found;
}
