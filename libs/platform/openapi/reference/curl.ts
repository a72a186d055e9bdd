import { resolved, type Document, type Parameter, type ShownCall } from './shapes.js';

/** How curl sends a credential, by security scheme, with the variables of demo.env and the files of the data folder. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  apiKeyHeader: '-H "X-Api-Key: $API_KEY"',
  partnerPassword: '-u "$V3_USERNAME:$V3_PASSWORD"',
  operatorToken: '-H "Authorization: Bearer $(cat data/operator.token)"',
  auditorToken: '-H "Authorization: Bearer $(cat data/auditor.token)"',
};

/** A shell line that makes a call: with its example, or with all required parameters. The caller replaces each `<…>`. */
export function curlOf(call: ShownCall, document: Document): string {
  const { method, path, operation } = call;
  const [scheme] = operation.security.flatMap((each) => Object.keys(each));
  const credential = scheme === undefined ? undefined : CREDENTIALS[scheme];
  const url = quoted(`${document.servers[0]?.url ?? ''}${path.replace(/\{(\w+)\}/g, '<$1>')}`);
  const parts = ['curl -s', ...(method === 'GET' ? [] : [`-X ${method}`]), credential, url];
  return [...parts, ...(method === 'GET' ? queryOf(call, document) : bodyOf(call))]
    .filter((each) => each !== undefined)
    .join(' ');
}

/** The query as curl options: curl would read brackets in an address as a pattern. */
function queryOf({ operation }: ShownCall, { components }: Document): string[] {
  const inQuery = operation.parameters
    .map((each): Parameter => resolved(each, components.parameters))
    .filter((each) => each.in === 'query' && (each.required === true || each.example !== undefined));
  if (inQuery.length === 0) return [];
  const fields = inQuery.map(({ name, example }) =>
    quoted(`${name}=${example === undefined ? `<${name}>` : asText(example)}`),
  );
  return ['--get', ...fields.map((each) => `--data-urlencode ${each}`)];
}

function bodyOf({ operation: { requestBody } }: ShownCall): string[] {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return [];
  const header = `-H ${quoted(`Content-Type: ${type}`)}`;
  if (type === 'application/x-ndjson') return [header, `--data-binary ${quoted('@<file>')}`];
  const required = (content?.schema?.required ?? []).map((name) => [name, `<${name}>`] as const);
  const fields = content?.example ?? (required.length === 0 ? undefined : Object.fromEntries(required));
  return fields === undefined ? [] : [header, `-d ${quoted(JSON.stringify(fields))}`];
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A text in quotes, for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
