/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

/** A value in a template: text, which is escaped; HTML, alone or in a list; null, which is empty. */
export type Part = string | number | Html | readonly Html[] | null;

/** HTML from a template. It escapes every text, for use inside elements and quoted attributes. */
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
