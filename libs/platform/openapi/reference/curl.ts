import type { Document, ShownCall } from './shapes.js';

/** How a credential is sent, by its security scheme, with what the environment holds. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  apiKeyHeader: '-H "X-Api-Key: $API_KEY"',
  partnerPassword: '-u "$USERNAME:$PASSWORD"',
  operatorToken: '-H "Authorization: Bearer $(cat data/operator.token)"',
  auditorToken: '-H "Authorization: Bearer $(cat data/auditor.token)"',
};

/** A line for a shell that makes a call: with its example where there is one, and parts of the path to be filled in. */
export function curlOf({ method, path, operation }: ShownCall, { servers }: Document): string {
  const [scheme] = operation.security.flatMap((each) => Object.keys(each));
  const credential = scheme === undefined ? undefined : CREDENTIALS[scheme];
  const required = operation.parameters.filter((each) => each.in === 'query' && each.required === true);
  const query = required.map(({ name }, index) => `${index === 0 ? '?' : '&'}${name}=<${name}>`).join('');
  const url = `"${servers[0]?.url ?? ''}${path.replace(/\{(\w+)\}/g, '<$1>')}${query}"`;
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const example = content?.example;
  const body =
    type === undefined || example === undefined
      ? []
      : [`-H "Content-Type: ${type}"`, `-d '${JSON.stringify(example).replaceAll("'", `'\\''`)}'`];
  return ['curl -s', ...(method === 'GET' ? [] : [`-X ${method}`]), credential, url, ...body]
    .filter((each) => each !== undefined)
    .join(' ');
}
