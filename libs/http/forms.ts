import { FORM_BOUNDS } from '#kernel/bounds';

/** A value in a form or query string: text, a list, or a section of named values. */
type Value = string | Value[] | { [name: string]: Value };

/** A place that a parameter's name leads to, with the values found there so far. */
class Place {
  readonly texts: string[] = [];
  /** The values that `[]` adds, in order. */
  readonly items: Place[] = [];
  readonly sections = new Map<string, Place>();

  section(name: string): Place {
    let section = this.sections.get(name);
    if (section === undefined) {
      section = new Place();
      this.sections.set(name, section);
    }
    return section;
  }

  item(): Place {
    const item = new Place();
    this.items.push(item);
    return item;
  }

  value(): Value {
    const { texts, items, sections } = this;
    const [only] = texts;
    if (items.length === 0 && sections.size === 0 && texts.length === 1 && only !== undefined) return only;
    const list: Value[] = [...texts, ...items.map((item) => item.value())];
    if (sections.size === 0) return list;
    const section = this.#section();
    // A section that is also a value has a wrong type: the schema refuses it by name.
    if (list.length === 0) return section;
    return Array.isArray(section) ? [...list, ...section] : [...list, section];
  }

  /** An object; or a list, if each name is an index. */
  #section(): Value[] | { [name: string]: Value } {
    const entries = [...this.sections].map(([name, place]) => [name, place.value()] as const);
    if (!entries.every(([name]) => INDEX.test(name))) return asObject(entries);
    return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
  }
}

const INDEX = /^(0|[1-9]\d*)$/;
const PARTS = /\[([^[\]]*)\]/g;
const SECTION = /^[^[\]]*(\[[^[\]]*\])+$/;

/** The reason why a form is refused. */
export class FormFault extends Error {
  override name = 'FormFault';
}

/**
 * The parameters of a form or a query string (ruling A2): `a[]=x&a[]=y`, `a[0]=x&a[1]=y` and `a=x&a=y` are lists,
 * `user[email]=x` is a section. The time it takes is proportional to the length, for every input.
 * @throws FormFault for a form beyond a bound, `__proto__` as a name, and a `%` that is not followed by UTF-8
 */
export function parametersOf(form: string): { readonly [name: string]: Value } {
  const root = new Place();
  let parameters = 0;
  for (let start = 0; start < form.length;) {
    const found = form.indexOf('&', start);
    const end = found < 0 ? form.length : found;
    if (end > start) {
      parameters += 1;
      if (parameters > FORM_BOUNDS.parameters) throw beyond();
      take(root, form.slice(start, end));
    }
    start = end + 1;
  }
  return asObject([...root.sections].map(([name, place]) => [name, place.value()] as const));
}

function take(root: Place, pair: string): void {
  const equals = pair.indexOf('=');
  const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
  const value = equals < 0 ? '' : decoded(pair.slice(equals + 1));
  if (name !== '') placeOf(root, name).texts.push(value);
}

function placeOf(root: Place, name: string): Place {
  const parts = partsOf(name);
  if (parts.length > FORM_BOUNDS.levels) throw beyond();
  let place = root;
  for (const [level, part] of parts.entries()) {
    if (part === '__proto__') throw new FormFault('__proto__ cannot be the name of a parameter');
    if (level > 0 && INDEX.test(part) && Number(part) >= FORM_BOUNDS.parameters) throw beyond();
    place = level > 0 && part === '' ? place.item() : place.section(part);
  }
  return place;
}

/** `a[b][]` is `a`, `b` and an empty part. A name with unbalanced brackets is one part. */
function partsOf(name: string): readonly string[] {
  if (!name.endsWith(']') || !SECTION.test(name)) return [name];
  const first = name.slice(0, name.indexOf('['));
  const more = [...name.matchAll(PARTS)].map(([, part = '']) => part);
  return first === '' ? more : [first, ...more];
}

function decoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new FormFault('a % that is not followed by UTF-8');
  }
}

function beyond(): FormFault {
  return new FormFault(`at most ${FORM_BOUNDS.parameters} parameters, in ${FORM_BOUNDS.levels} levels`);
}

/** An object without a prototype, so that names such as `constructor` are ordinary names. */
function asObject(entries: readonly (readonly [string, Value])[]): { [name: string]: Value } {
  return Object.assign(Object.create(null) as { [name: string]: Value }, Object.fromEntries(entries));
}
