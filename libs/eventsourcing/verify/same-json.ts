/** Whether two values are the same as JSON: what is undefined is not there, and the order of names does not count. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return (one ?? null) === (other ?? null) || (Number.isNaN(one) && other === null);
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((each, at) => isSameJson(each, other[at]));
  }
  const [left, right] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>];
  let count = 0;
  for (const name in left) {
    if (left[name] === undefined) continue;
    count += 1;
    if (!isSameJson(left[name], right[name])) return false;
  }
  for (const name in right) if (right[name] !== undefined) count -= 1;
  return count === 0;
}

/** The first name at which two objects differ; undefined if they do not. */
export function differsIn(one: object, other: object): string | undefined {
  const [left, right] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].find(
    (name) => !isSameJson(left[name], right[name]),
  );
}
