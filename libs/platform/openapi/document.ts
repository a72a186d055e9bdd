import { ERROR_TYPES, HEADERS as HEADERS_TAKEN, type Description } from '#http';
import { errorResponses, operationOf, tagOf, writtenPath } from './operation.js';
import type { Route } from './routes.js';
import { Schemas } from './schemas.js';

/** The facts in the document that do not depend on calls. */
export interface About {
  /** The version of the package. */
  readonly version: string;
  /** The address of the service. */
  readonly publicUrl: string;
}

/** The groups of calls, in the order of the API reference. */
const GROUPS: Readonly<Record<string, string>> = {
  Deals: 'What is on sale, in the v1 and in the v3 shape.',
  Regions: 'Where deals are on sale.',
  Purchases: 'Buying with a card, and holding units for five minutes.',
  Coupons: 'What a purchase is redeemed with.',
  Users: 'The partner’s users.',
  'Credit cards': 'Cards of users. Numbers are told masked.',
  'Shipping addresses': 'Where shipped deals go.',
  Operators: 'For operators alone: partners, regions, deals, corrections and imports.',
  Auditors: 'For auditors and operators: what happened.',
  Service: 'Health and this reference: no key.',
};

/** The OpenAPI 3.1 document (ruling G11), made from the controllers' descriptions and schemas. */
export function openApiDocument(routes: readonly Route[], { version, publicUrl }: About): object {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, object>> = {};
  const tags = new Set<string>();
  for (const route of routes) {
    if (route.description === undefined) continue;
    tags.add(tagOf(route));
    const path = (paths[writtenPath(route)] ??= {});
    path[route.method.toLowerCase()] = operationOf(route as typeof route & { description: Description }, schemas);
  }
  const responses = errorResponses(schemas);
  const names = [...Object.keys(GROUPS), ...[...tags].filter((tag) => GROUPS[tag] === undefined)];
  return {
    openapi: '3.1.0',
    info: { title: 'Holdfast', version, description: description(), license: LICENSE },
    servers: [{ url: publicUrl }],
    tags: names.filter((name) => tags.has(name)).map((name) => ({ name, description: GROUPS[name] ?? name })),
    paths,
    components: {
      schemas: schemas.components,
      responses,
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Of 1 to 255 characters, a new one for each request. The first answer under a key is kept for 24 hours, a refusal too, and given again as it was then, with `Idempotency-Replayed: true`; nothing is done a second time. Not kept are 401, 429 and 5xx. While the first still runs: 409 `already_processing`, with Retry-After; with another request: 422.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: HEADERS_TAKEN['Idempotency-Key'] },
  },
  Position: {
    name: 'Holdfast-Position',
    in: 'header',
    description:
      'As an answer gave it: what was written up to there is seen. Any other text counts as none; a number ahead of the log is refused.',
    required: false,
    schema: { type: 'string', pattern: '^\\d{1,19}$', maxLength: HEADERS_TAKEN['Holdfast-Position'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of a copy: where that is still good, the answer is 304 without a body.',
    required: false,
    schema: { type: 'string', maxLength: HEADERS_TAKEN['If-None-Match'] },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'An id of the caller’s own, printable and without spaces, which the answer and the log say. Any other counts as none.',
    required: false,
    schema: { type: 'string', maxLength: HEADERS_TAKEN['X-Request-Id'] },
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C Trace Context: the log says which trace the call was part of. A malformed one counts as none.',
    required: false,
    schema: { type: 'string', maxLength: HEADERS_TAKEN.traceparent },
  },
};

const HEADERS = {
  RequestId: {
    description: 'Names this request in logs: the X-Request-Id that it came with, or one of ours.',
    schema: { type: 'string' },
  },
  Position: {
    description: 'Where in the log the call wrote: a read that sends it back sees what was written.',
    schema: { type: 'string' },
  },
  ExpiresAt: {
    description:
      'When the held units are free again, unless they are claimed before: ISO 8601, in UTC, with milliseconds. Absent where nothing is held.',
    schema: { type: 'string', format: 'date-time' },
  },
  Replayed: {
    description: '`true` where this is the answer that was kept for the Idempotency-Key; absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: { description: 'Names these very bytes.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
};

const SECURITY_SCHEMES = {
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'The partner’s key.' },
  apiKeyQuery: { type: 'apiKey', in: 'query', name: 'api_key', description: 'The partner’s key.' },
  partnerPassword: { type: 'http', scheme: 'basic', description: 'The partner’s user name and v3 password.' },
  operatorToken: { type: 'http', scheme: 'bearer', description: 'An operator’s token.' },
  auditorToken: { type: 'http', scheme: 'bearer', description: 'An auditor’s or operator’s token.' },
};

function description(): string {
  const types = Object.entries(ERROR_TYPES).map(
    ([type, [statuses, meaning]]) => `| \`${type}\` | ${statuses.join(', ')} | ${meaning} |`,
  );
  return [
    'Holdfast sells limited deals. Money is in integer cents, unless it is said otherwise: 25.00 is written 2500. A deal that is in flight is on sale.',
    'Partners’ calls that stand here with no prefix, with `/v1` or with `/api/v1` answer on all three, and with `.json` behind the path. Calls below `/api/v3` answer there alone.',
    'Parameters may come in the query, as a JSON body or as a form, with any method; the body wins. What stands in the query of a GET may come as a JSON body, and what stands in a body may come in the query. Numbers and booleans may come as their text, and lists as `a,b` or as `a[]=x&a[]=y`. Names that are not told here are passed over, in the query and in a body; `GET /v1/deals`, `GET /deals/locate`, `PUT /operators/deals/{slug}` and a deal in an import refuse them. A JSON body is an object.',
    'Everything has a bound, which its schema says. Texts have no control characters; those that describe, or give a reason, may have more than one line. What is beyond a bound is refused by name; an id that is longer than any is one that is not known.',
    'A success is answered with 200. Every error has the shape `Error`, but for a v3 query that cannot be read, which has `BadQuery`. Where the text of an error cannot say enough, `detail` says what was not found or is not possible, and what to do: for people, and it may change. An `Error` is of one of these types:',
    ['| error_type | status | meaning |', '| --- | --- | --- |', ...types].join('\n'),
  ].join('\n\n');
}
