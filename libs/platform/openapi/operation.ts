import {
  bodyLimitOf,
  ERROR,
  ERROR_TYPES,
  isMonitoringPath,
  isOpen,
  type Access,
  type Answer,
  type Description,
} from '#http';
import { LONGEST_IN_PATH, LONGEST_LINE } from '#kernel/bounds';
import { errorExamples, typesOf } from './error-examples.js';
import { ownErrorsOf, ownTypesOf } from './own-failures.js';
import type { Route } from './routes.js';
import type { JsonSchema, Schemas } from './schemas.js';

/** The document's security requirements, by access. One of them is enough. */
const SECURITY: Readonly<Record<Access, readonly object[]>> = {
  partner: [{ apiKeyHeader: [] }, { apiKeyQuery: [] }],
  'partner-v3': [{ partnerPassword: [] }],
  operator: [{ operatorToken: [] }],
  auditor: [{ auditorToken: [] }],
  public: [],
  monitor: [{}, { auditorToken: [] }],
  watcher: [{ auditorToken: [] }],
};

/** The document's security requirements of a call. Those of keys and access tokens name the scope that they need. */
function securityOf({ method, access = 'operator', tokens }: Route): readonly object[] {
  // Auditors may use operators' calls that only read (ruling G1).
  if (access !== 'partner' || tokens === undefined)
    return SECURITY[access === 'operator' && method === 'GET' ? 'auditor' : access];
  const scopes = tokens.scope === 'none' ? [] : [tokens.scope];
  const keys = [{ apiKeyHeader: scopes }, { apiKeyQuery: scopes }];
  return tokens.kind === 'tokens' ? [...keys, { accessToken: scopes }, { accessTokenQuery: scopes }] : keys;
}

/** Headers that any call may send to be found in the log. */
const TRACED = ['RequestId', 'Traceparent'].map((name) => ({ $ref: `#/components/parameters/${name}` }));

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

type Responses = Record<string, object>;

/** A call as an OpenAPI operation: its parameters, and all its answers. */
export function operationOf(route: Route & { readonly description: Description }, schemas: Schemas): object {
  const { method, description } = route;
  const { summary, answer } = description;
  // A call that reads lines can also answer in lines.
  const answers = [answer, description.body ?? []].flat();
  const body = method === 'GET' ? undefined : bodyOf(description, schemas);
  return {
    tags: [tagOf(route)],
    summary,
    operationId: route.name,
    ...(description.deprecated && { deprecated: true }),
    security: securityOf(route),
    parameters: parametersOf(route, schemas),
    ...(body !== undefined && { requestBody: body }),
    responses: {
      [description.created === true ? 201 : 200]: response('The call succeeded.', answers, schemas, headersOf(route)),
      ...(description.tagged && { 304: UNCHANGED }),
      ...failuresOf(route, schemas),
    },
  };
}

export function tagOf({ access, group }: Route): string {
  if (access === 'operator') return 'Operators';
  return access === 'auditor' ? 'Auditors' : (group ?? 'Service');
}

/** The path as the interface writes it, with its parameters in braces. */
export function writtenPath({ path, description }: Route): string {
  return `${description?.prefix ?? ''}${path}`.replace(/:(\w+)/g, '{$1}');
}

function parametersOf({ method, path, access, description }: Route, schemas: Schemas): object[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', maxLength: LONGEST_IN_PATH },
  }));
  // A body of lines has no parameters.
  const inQuery = method === 'GET' || description?.body !== undefined ? queryOf(description, schemas) : [];
  const tag = description?.tagged === true ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : [];
  if (isOpen(access)) return [...inPath, ...inQuery, ...tag, ...TRACED];
  const header = method === 'GET' ? 'Position' : 'IdempotencyKey';
  return [...inPath, ...inQuery, { $ref: `#/components/parameters/${header}` }, ...TRACED];
}

/** Each parameter of a GET, or beside a body of lines, is in the query; commas separate the values of a list. */
function queryOf(description: Description | undefined, schemas: Schemas): object[] {
  const parameters = description?.parameters;
  const example = description?.example ?? {};
  if (parameters === undefined) return [];
  const { properties = {}, required = [] } = schemas.ofParameters(parameters) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description: meaning, ...schema }]) => ({
    name,
    in: 'query',
    ...(meaning !== undefined && { description: meaning }),
    required: required.includes(name),
    schema,
    ...(name in example && { example: example[name] }),
    ...(schema['type'] === 'array' && { style: 'form', explode: false }),
  }));
}

function bodyOf(description: Description, schemas: Schemas): object | undefined {
  const { body, bodyMeaning = '', parameters, example } = description;
  if (body !== undefined) {
    const lines = `Any number of lines of JSON; each has at most ${LONGEST_LINE} bytes. ${bodyMeaning}`;
    return { description: lines.trim(), required: true, content: { [body]: { schema: { type: 'string' } } } };
  }
  if (parameters === undefined) return undefined;
  const schema = schemas.ofParameters(parameters);
  const content = example === undefined ? { schema } : { schema, example };
  const required = Array.isArray(schema['required']) && schema['required'].length > 0;
  const size = `At most ${bodyLimitOf(description)} bytes.`;
  return { description: size, required, content: { [JSON_TYPE]: content, [FORM]: { schema } } };
}

/** How a call is refused: as JSON, or as a page for a browser whose caller is no partner. */
const REFUSED: readonly Answer[] = [ERROR, 'text/html'];

/** The failures of every call of its kind, and those in its description. */
function failuresOf(route: Route, schemas: Schemas): Responses {
  const otherwise = route.description?.otherwise ?? {};
  const statuses = new Set([...usualFailures(route), ...Object.keys(otherwise).map(Number)]);
  return Object.fromEntries(
    [...statuses]
      .sort((a, b) => a - b)
      .map((status) => {
        const own = otherwise[status];
        const shapes = own === undefined || own === 'error' ? undefined : [...REFUSED, own];
        const types = ownTypesOf(status, route);
        if (shapes !== undefined) {
          const value = route.description?.ownFailures?.[status];
          const examples = errorExamples(status, types, ownErrorsOf(status, route));
          const all = value === undefined ? examples : { ...examples, own: { value } };
          return [status, response(meaningOf(status, types), shapes, schemas, {}, all)];
        }
        if (types === undefined) return [status, { $ref: `#/components/responses/${status}` }];
        const examples = errorExamples(status, types, ownErrorsOf(status, route));
        return [status, response(meaningOf(status, types), REFUSED, schemas, HEADERS_OF[status], examples)];
      }),
  );
}

/** The statuses that follow from credentials, method and body. */
function usualFailures({ method, path, access }: Route): readonly number[] {
  const isWrite = method !== 'GET';
  return [
    ...[400, 408, 413, 415, 417, 431, 500, 503],
    ...(isMonitoringPath(path) ? [] : [403, 429]),
    ...(access === 'public' ? [] : [401]),
    ...(path.includes(':') ? [404] : []),
    ...(isWrite ? [409] : []),
    ...(isWrite || !isOpen(access) ? [422] : []),
  ];
}

/** A response for each status of an error, for the document's components. */
export function errorResponses(schemas: Schemas): Responses {
  const statuses = new Set(Object.values(ERROR_TYPES).flatMap(([each]) => [...each]));
  return Object.fromEntries(
    [...statuses]
      .sort((a, b) => a - b)
      .map((status) => [
        status,
        response(meaningOf(status), REFUSED, schemas, HEADERS_OF[status], errorExamples(status)),
      ]),
  );
}

function headersOf({ method, path, access, description }: Route & { readonly description: Description }): object {
  const { headers = [], tagged, deprecated } = description;
  const own = headers.map((name) => [`Holdfast-${NAMES[name]}`, { $ref: `#/components/headers/${name}` }]);
  return {
    ...(method === 'GET' ? {} : WROTE),
    ...(!isOpen(access) && UNUSED),
    ...((access === 'partner' || access === 'partner-v3' || isThen(path)) && SHOWN),
    ...(tagged && TAG),
    ...(deprecated && ENDS),
    ...(Object.fromEntries(own) as object),
  };
}

/** Whether a call answers as of a time. */
function isThen(path: string): boolean {
  return /^\/auditors\/\w+\/:id$/.test(path);
}

const NAMES = { ExpiresAt: 'Expires-At' } as const;
const ENDS = Object.fromEntries(
  ['Deprecation', 'Sunset'].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);
const TAG = { ETag: { $ref: '#/components/headers/ETag' } };
const UNCHANGED = {
  description: 'The copy that If-None-Match names is still current.',
  headers: { 'Request-Id': { $ref: '#/components/headers/RequestId' }, ...TAG },
};
const WROTE = {
  'Holdfast-Position': { $ref: '#/components/headers/Position' },
  'Idempotency-Replayed': { $ref: '#/components/headers/Replayed' },
};
const RETRY = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
const SHOWN = { 'Holdfast-As-Of': { $ref: '#/components/headers/AsOf' } };
const UNUSED = { 'Holdfast-Ignored': { $ref: '#/components/headers/Ignored' } };
const HEADERS_OF: Readonly<Record<number, object>> = {
  400: UNUSED,
  404: UNUSED,
  409: { ...RETRY, ...UNUSED },
  422: UNUSED,
  429: RETRY,
  503: RETRY,
};

/** The meaning of each error type of a status. */
function meaningOf(status: number, types = typesOf(status)): string {
  return types.map((type) => `\`${type}\`: ${ERROR_TYPES[type][1]}`).join('\n\n');
}

function response(
  description: string,
  answers: readonly Answer[],
  schemas: Schemas,
  headers: object = {},
  examples: object = {},
): object {
  const shapes = answers.flatMap((answer) => (typeof answer === 'string' ? [] : [schemas.ofAnswer(answer)]));
  const [first, ...more] = shapes;
  const content: Record<string, object> = {};
  if (first !== undefined) {
    const schema = more.length === 0 ? first : { anyOf: shapes };
    content[JSON_TYPE] = Object.keys(examples).length === 0 ? { schema } : { schema, examples };
  }
  for (const type of answers.filter((answer) => typeof answer === 'string')) {
    content[type] = { schema: { type: type === JSON_TYPE ? 'object' : 'string' } };
  }
  return { description, headers: { 'Request-Id': { $ref: '#/components/headers/RequestId' }, ...headers }, content };
}
