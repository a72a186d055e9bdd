/** What a template shows: a text, which is escaped; nothing; or the scopes of a part that stands there once for each. */
export type Value = string | null | readonly Scope[];
export interface Scope {
  readonly [name: string]: Value;
}

/** `{{#name}} part {{/name}}`, or `{{name}}`. */
const PLACES = /\{\{#(\w+)\}\}([^]*?)\{\{\/\1\}\}|\{\{\s*(\w+)\s*\}\}/g;

/**
 * Fills a compiled template. A part stands there if its value is a text, and once for each scope of a list, whose names come
 * before those around it. What a value contains is text, whatever it looks like.
 * @throws Error if the template has a place that nobody fills
 */
export function fill(template: string, scope: Scope): string {
  return template.replaceAll(PLACES, (_, part: string | undefined, inside: string, name: string) => {
    const value = scope[part ?? name];
    if (value === undefined) throw new Error(`a mail has no value for ${part ?? name}`);
    if (value === null) return '';
    if (typeof value !== 'string') return value.map((each) => fill(inside, { ...scope, ...each })).join('');
    return part === undefined ? escaped(value) : fill(inside, scope);
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
