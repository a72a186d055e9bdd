/** A value that a difference may show. Texts, lists and objects may hold what is sealed or secret: only their kind is told. */
export type ShownValue = number | boolean | null | '(text)' | '(list)' | '(object)' | '(absent)';

/** A field that two rows have with different values; a field in a part is `units.sold`. */
export interface FieldDifference {
  readonly field: string;
  readonly live: ShownValue;
  readonly other: ShownValue;
}

type Part = Readonly<Record<string, unknown>>;

/**
 * The fields in which two rows differ, as their JSON shows them; none if they only have another order.
 * @param most fields that are told
 */
export function differencesOf(live: string, other: string, most: number): readonly FieldDifference[] {
  const found: FieldDifference[] = [];
  compare('', JSON.parse(live), JSON.parse(other), found, most);
  return found;
}

function compare(field: string, live: unknown, other: unknown, found: FieldDifference[], most: number): void {
  if (found.length >= most) return;
  if (isPart(live) && isPart(other)) {
    for (const name of new Set([...Object.keys(live), ...Object.keys(other)]))
      compare(field === '' ? name : `${field}.${name}`, live[name], other[name], found, most);
    return;
  }
  if (isSame(live, other)) return;
  found.push({ field, live: shown(live), other: shown(other) });
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(live: unknown, other: unknown): boolean {
  return live === other || JSON.stringify(live) === JSON.stringify(other);
}

function shown(value: unknown): ShownValue {
  if (value === undefined) return '(absent)';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return '(list)';
  return typeof value === 'string' ? '(text)' : '(object)';
}
