/** The parameters of query and body together (ruling A2): the body wins, and `a[]` is `a`. */
export function mergeParameters(query: unknown, body: unknown): Readonly<Record<string, unknown>> {
  const parameters = new Map<string, unknown>();
  take(parameters, query);
  take(parameters, body);
  // Every name becomes an own property, even `__proto__`: so the fingerprint covers everything that the schemas read.
  return Object.fromEntries(parameters);
}

function take(parameters: Map<string, unknown>, source: unknown): void {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return;
  for (const [name, value] of Object.entries(source)) {
    if (name.endsWith('[]')) parameters.set(name.slice(0, -2), Array.isArray(value) ? value : [value]);
    else parameters.set(name, value);
  }
}
