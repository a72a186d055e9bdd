/** Query and body as one (ruling A2): the body wins, and `a[]` is `a`. */
export function mergeParameters(query: unknown, body: unknown): Readonly<Record<string, unknown>> {
  // Without a prototype: a parameter named __proto__ is one like any other, and sets nothing behind the others' back.
  const parameters = Object.create(null) as Record<string, unknown>;
  take(parameters, query);
  take(parameters, body);
  return parameters;
}

function take(parameters: Record<string, unknown>, given: unknown): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return;
  for (const [name, value] of Object.entries(given)) {
    if (name.endsWith('[]')) parameters[name.slice(0, -2)] = Array.isArray(value) ? value : [value];
    else parameters[name] = value;
  }
}
