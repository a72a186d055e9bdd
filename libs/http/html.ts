import { isolated } from '#kernel';

/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

/** A value in a template: text, which is escaped; HTML, alone or in a list; null, which is empty. */
export type Part = string | number | Html | readonly Html[] | null;

/**
 * HTML from a template. It escapes every text, for use inside elements and quoted attributes. A text inside an element has an
 * element of its own (`bdi`): whatever it contains, and in whatever script, it does not turn the words around it.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const places = placesIn(strings);
  return new Html(
    String.raw({ raw: strings }, ...parts.map((part, nth) => markup(part, SHOWN[places[nth] ?? 'words']))),
  );
}

/** The same for words of ours alone: its texts have no elements of their own. */
export function ownHtml(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map((part) => markup(part, escaped))));
}

/** Where a text stands: among the words of an element, in the title of the page, or within a tag. */
type TextPlace = 'words' | 'title' | 'tag';

const SHOWN: Readonly<Record<TextPlace, (text: string) => string>> = {
  words: (text) => (text === '' ? '' : `<bdi>${escaped(text)}</bdi>`),
  // A title has no elements.
  title: (text) => escaped(isolated(text)),
  tag: escaped,
};

/** The place of each part: the words of a template have `<` and `>` only as the ends of its tags. */
function placesIn(strings: readonly string[]): readonly TextPlace[] {
  let before = '';
  return strings.map((string) => {
    before += string;
    if (before.lastIndexOf('<') > before.lastIndexOf('>')) return 'tag';
    return before.endsWith('<title>') ? 'title' : 'words';
  });
}

function markup(part: Part, shown: (text: string) => string): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'number') return String(part);
  return typeof part === 'string' ? shown(part) : part.map((each) => each.text).join('');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
