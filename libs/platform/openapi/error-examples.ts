import { ERROR_TYPES, type ErrorType } from '#http';

/** The errors of one call: its own texts, and the fields beside the text. */
export interface OwnErrors {
  readonly texts: Readonly<Partial<Record<ErrorType, string>>>;
  readonly more: Readonly<Partial<Record<ErrorType, object>>>;
}

/** An example text for each error type. */
const TEXTS: Readonly<Record<ErrorType, string>> = {
  find_failed: 'Unable to find',
  validation_failed: 'validation failed',
  method_not_allowed: 'use GET, HEAD, OPTIONS',
  update_failed: 'a deal that is landed cannot become in-flight',
  redeem_failed: 'the coupon is redeemed',
  cannot_fufill: 'not enough units are left: 2 available',
  cannot_fulfill: 'not enough units are left: 2 available',
  declined: 'purchase declined: the card was declined',
  already_charging: 'an existing purchase is still processing',
  already_processing: 'the first request with this Idempotency-Key is still running',
  secrets_lost: 'the key exists; revoke it and issue another',
  auth_failed: 'send a valid api_key, or the header X-Api-Key',
  https_required: 'use HTTPS: plain HTTP works only from the machine that runs the service',
  rate_limited: 'too many requests; try again in 7 s',
  server_error: 'a fault of ours; please report the Request-Id',
  unavailable: 'the views are behind the log',
};

/** Example texts for requests that cannot be read, by status: these errors name no parameter. */
const UNREADABLE: Readonly<Record<number, string>> = {
  400: 'malformed JSON at line 1, column 12',
  408: 'the request took too long',
  413: 'the body is larger than 65536 bytes',
  415: 'send parameters as application/json or as application/x-www-form-urlencoded',
  417: 'the only Expect that the service supports is 100-continue',
  431: 'the request line and headers are too large',
};

const MORE: Readonly<Partial<Record<ErrorType, object>>> = {
  find_failed: { detail: 'you have no purchase or reservation with this id' },
  declined: { purchase_id: '5d3c1b7a9e0f4d2c8b6a1e3f5d7c9b0a' },
  already_charging: { purchase_id: '5d3c1b7a9e0f4d2c8b6a1e3f5d7c9b0a' },
  validation_failed: {
    errors: [{ type: 'missing_field', message: 'is missing', field: 'deal_id', resource: 'purchase' }],
  },
};

/** The error types of a status. */
export function typesOf(status: number): readonly ErrorType[] {
  return (Object.keys(ERROR_TYPES) as ErrorType[]).filter((type) =>
    (ERROR_TYPES[type][0] as readonly number[]).includes(status),
  );
}

/** An example error for each of these types. Without examples, tools would invent errors of impossible types. */
export function errorExamples(
  status: number,
  types = typesOf(status),
  own: OwnErrors = { texts: {}, more: {} },
): Readonly<Record<string, { readonly value: object }>> {
  return Object.fromEntries(types.map((type) => [type, { value: exampleOf(type, status, own) }]));
}

function exampleOf(type: ErrorType, status: number, { texts, more }: OwnErrors): object {
  const unreadable = type === 'validation_failed' ? UNREADABLE[status] : undefined;
  const beside = unreadable === undefined ? (more[type] ?? MORE[type]) : {};
  return { status: 'error', error_type: type, error_msg: unreadable ?? texts[type] ?? TEXTS[type], ...beside };
}
