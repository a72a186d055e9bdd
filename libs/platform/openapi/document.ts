import { ERROR_TYPES, type Description } from '#http';
import { HEADERS as HEADERS_TAKEN, LONGEST_IGNORED, MOST_IGNORED } from '#kernel/bounds';
import type { Build } from '../build.js';
import { errorResponses, operationOf, tagOf, writtenPath } from './operation.js';
import type { Route } from './routes.js';
import { Schemas } from './schemas.js';

/** The facts in the document that do not depend on calls. */
export interface About {
  readonly build: Build;
  /** The address of the service. */
  readonly publicUrl: string;
}

/** The groups of calls, in the order of the API reference. */
const GROUPS: Readonly<Record<string, string>> = {
  Deals: 'The deals on sale, in the v1 and the v3 shape.',
  Regions: 'The regions where deals are on sale.',
  Purchases: 'Buying with a card, and holding units for five minutes.',
  Coupons: 'The coupons of purchases.',
  Users: 'The partner’s users.',
  'Access tokens':
    'With these, users call the service directly, also from pages of the origins in `CORS_ORIGINS`. A token ends with its time, with the key that issued it, with a new password of the user and when the user is hidden.',
  'Credit cards': 'Cards of users, with masked numbers.',
  'Shipping addresses': 'The addresses that shipped deals go to.',
  'Saved deals': 'The deals that users keep.',
  'Card links': 'The links of users’ cards to card-linked deals.',
  'Targeted email': 'Mails about a deal to chosen users, on the next day.',
  Subscriptions: 'The regions whose deals users get by e-mail.',
  Resellers:
    'Purchases with transactions of your own, and their coupons: under `/api/v3`, with your user name and v3 password.',
  Operators: 'For operators only: partners, regions, deals, corrections and imports.',
  Auditors: 'For auditors and operators: what happened.',
  Service: 'Health checks and this reference, without a key.',
};

/** The OpenAPI 3.1 document (ruling G11), made from the controllers' descriptions and schemas. */
export function openApiDocument(routes: readonly Route[], { build, publicUrl }: About): object {
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
    info: {
      title: 'Holdfast',
      version: build.version,
      'x-commit': build.commit,
      description: description(),
      license: LICENSE,
    },
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
      '1 to 255 characters; use a new key for each request. The first answer under a key is kept for 24 hours, even a refusal. A repeat gets it unchanged, with `Idempotency-Replayed: true`, and nothing runs a second time. 401, 429 and 5xx are not kept. While the first request still runs, a repeat is 409 `already_processing`, with Retry-After. Another request with the same key is 422.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: HEADERS_TAKEN['Idempotency-Key'] },
  },
  Position: {
    name: 'Holdfast-Position',
    in: 'header',
    description:
      'The position from an earlier answer: the call sees everything that was written up to it. Any other text is ignored; a number beyond the end of the log is refused.',
    required: false,
    schema: { type: 'string', pattern: '^\\d{1,19}$', maxLength: HEADERS_TAKEN['Holdfast-Position'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of your copy: if the copy is still current, the answer is 304 without a body.',
    required: false,
    schema: { type: 'string', maxLength: HEADERS_TAKEN['If-None-Match'] },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'The caller’s own id, printable and without spaces; the answer and the log have it. Any other text is ignored.',
    required: false,
    schema: { type: 'string', maxLength: HEADERS_TAKEN['X-Request-Id'] },
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C Trace Context: the log has the trace that the call is part of. A malformed value is ignored.',
    required: false,
    schema: { type: 'string', maxLength: HEADERS_TAKEN.traceparent },
  },
};

const HEADERS = {
  RequestId: {
    description: 'The id of this request in the log: the caller’s X-Request-Id, or one that the service made.',
    schema: { type: 'string' },
  },
  Position: {
    description: 'The position in the log that the call wrote: a call that sends it back sees what was written.',
    schema: { type: 'string' },
  },
  AsOf: {
    description:
      'What the answer shows, and when: the number of the last event that it has seen, the time by which it was made, and the number of the form of answers, such as `4711@2026-11-28T12:00:00.000Z~1`. With this value an auditor gets the same answer again, for purchases, coupons, deals, users and card links. Absent for a moment after the first start, for a deal that changed whenever it was read, and while a process follows a shared log late.',
    schema: { type: 'string' },
  },
  ExpiresAt: {
    description: 'When the hold expires: ISO 8601, in UTC, with milliseconds. Absent if nothing is held.',
    schema: { type: 'string', format: 'date-time' },
  },
  Ignored: {
    description:
      'The parameters that were sent and not used, each with the nearest name that the call takes: `firstname (first_name?), color`. Absent if all were used; values are never shown. Answers about a request that was not read do not have it.',
    schema: { type: 'string', maxLength: MOST_IGNORED * (2 * LONGEST_IGNORED + 5) + 20 },
  },
  Replayed: {
    description: '`true` if this is the stored answer for the Idempotency-Key; absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: { description: 'Identifies exactly these bytes.', schema: { type: 'string' } },
  Deprecation: {
    description: 'Since when the call is deprecated: `@` and seconds since 1970. Every answer of the call has it.',
    schema: { type: 'string' },
  },
  Sunset: {
    description: 'When the call may be removed: an HTTP date. Every answer of the call has it.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
};

const SECURITY_SCHEMES = {
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description:
      'The partner’s key. A restricted key needs the scope that stands here or `all`; where none stands, only a full key may call. Never put a key into a page.',
  },
  apiKeyQuery: { type: 'apiKey', in: 'query', name: 'api_key', description: 'The partner’s key.' },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A user’s access token, with the scope that stands here or `all`. It reaches only what is the user’s, and `user_id` may be left out.',
  },
  accessTokenQuery: { type: 'apiKey', in: 'query', name: 'access_token', description: 'A user’s access token.' },
  partnerPassword: { type: 'http', scheme: 'basic', description: 'The partner’s user name and v3 password.' },
  operatorToken: { type: 'http', scheme: 'bearer', description: 'An operator’s token.' },
  auditorToken: { type: 'http', scheme: 'bearer', description: 'An auditor’s or operator’s token.' },
};

function description(): string {
  const types = Object.entries(ERROR_TYPES).map(
    ([type, [statuses, meaning]]) => `| \`${type}\` | ${statuses.join(', ')} | ${meaning} |`,
  );
  return [
    'Holdfast sells limited deals. Amounts are integers in cents, unless a field says otherwise: 25.00 is 2500. A deal is on sale while it is in-flight.',
    'A partner’s call that is listed here without a prefix, with `/v1` or with `/api/v1` answers under all three, also with `.json` after the path. Calls of `/api/v3` answer only there.',
    'Every call takes its parameters in the query, as a JSON body or as a form, with any method; the body wins. Numbers and booleans may come as text, and lists as `a,b` or as `a[]=x&a[]=y`. Names that are not listed here are ignored; `GET /v1/deals`, `GET /deals/locate`, `PUT /operators/deals/{slug}` and a deal in an import refuse them. A JSON body must be an object.',
    'Every parameter has a bound, which its schema shows. Texts have no control characters; descriptions and reasons may have more than one line. A value beyond its bound is refused by name; an id that is too long is unknown.',
    'A success is 200, or 201 for a new batch. Every error has the shape `Error`, except a v3 query that cannot be read, which has `BadQuery`. `detail` explains an error for people: what was not found or is not possible, and what to do. Its text may change. An `Error` has one of these types:',
    ['| error_type | status | meaning |', '| --- | --- | --- |', ...types].join('\n'),
  ].join('\n\n');
}
