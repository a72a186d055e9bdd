/** What a template shows: a text, which is escaped; nothing; or the scopes of a part that stands there once for each. */
export type Value = string | null | readonly Scope[];
export interface Scope {
  readonly [name: string]: Value;
}

/** `{{#name}} part {{/name}}`, or `{{name}}`. */
const PLACES = /\{\{#(\w+)\}\}([^]*?)\{\{\/\1\}\}|\{\{\s*(\w+)\s*\}\}/g;

/**
 * Fills a compiled template. A part stands there if its value is a text, and once for each scope of a list, whose names come
 * before those around it. What a value contains is text, whatever it looks like; outside tags it has an element of its own, so
 * that it does not turn the words around it. (Mail programs know `dir`, but not all know `bdi`.)
 * @throws Error if the template has a place that nobody fills
 */
export function fill(template: string, scope: Scope): string {
  return template.replaceAll(PLACES, (_, part: string | undefined, inside: string, name: string, at: number) => {
    const value = scope[part ?? name];
    if (value === undefined) throw new Error(`a mail has no value for ${part ?? name}`);
    if (value === null) return '';
    if (typeof value !== 'string') return value.map((each) => fill(inside, { ...scope, ...each })).join('');
    if (part !== undefined) return fill(inside, scope);
    return isAmongWords(template, at) ? `<span dir="auto">${escaped(value)}</span>` : escaped(value);
  });
}

/** Whether a place is neither within a tag nor in the mail's title, which has no elements. */
function isAmongWords(template: string, at: number): boolean {
  const before = template.slice(0, at);
  return before.lastIndexOf('<') <= before.lastIndexOf('>') && !before.endsWith('<title>');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
