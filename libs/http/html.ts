/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

/** What a template takes: text, which is escaped; HTML, alone or in a list; null, which is nothing. */
export type Part = string | number | Html | readonly Html[] | null;

/** HTML with every text in it escaped, for the inside of elements and of quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(markup)));
}

function markup(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(markup).join('') : escaped(String(part));
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
