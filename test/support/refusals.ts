/** The answer to a path that names nothing, or nothing of the caller's: the interface's text, and what was not found. */
export const unableToFind = (detail: string): string =>
  JSON.stringify({ status: 'error', error_type: 'find_failed', error_msg: 'Unable to find', detail });

export const NO_USER = unableToFind('you have no user with this id');
export const NO_DEAL = unableToFind(
  'no deal has this id: GET /v1/deals lists those on sale, with show_all=true all of them',
);
export const NO_REGION = unableToFind('no region has this id: GET /api/v1/regions lists them');
export const NO_PURCHASE = unableToFind('you have no purchase or reservation with this id');

/** The detail of an error about a taken e-mail address. */
export const TAKEN_BY =
  'one of your users has this address: PUT /api/v1/users/<email>/update_by_email changes them and answers with their id; is_deleted=false restores a deleted user';

/** The detail of an error, by its text and field. */
const DETAILS: Readonly<Record<string, string>> = {
  'not found user_id': 'you have no user with this id',
  'not found credit_card_id': 'you have no credit card with this id',
  'not found shipping_address_id': 'you have no shipping address with this id',
  'not owner credit_card_id': 'the card is another user’s',
  'not owner shipping_address_id': 'the address is another user’s',
};

/** An error as it is written in an answer. */
export const fault = (
  type: string,
  message: string,
  field: string,
  resource: string,
  detail = DETAILS[`${message} ${field}`],
): string => JSON.stringify({ type, message, field, resource, detail });

/** The answer to parameters that are refused. @param errors as objects, or as `fault` writes them */
export const validationFailed = (...errors: readonly (string | object)[]): string => {
  const written = errors.map((error) => (typeof error === 'string' ? error : JSON.stringify(error)));
  return `{"status":"error","error_type":"validation_failed","error_msg":"validation failed","errors":[${written.join()}]}`;
};

export const TOO_MANY = (atMost: number): string =>
  fault(
    'invalid',
    'cannot purchase that many',
    'quantity',
    'purchase',
    atMost === 0
      ? 'this user cannot buy more units of this deal'
      : `this user can buy ${atMost === 1 ? 'exactly 1 unit' : `1 to ${atMost} units`} of this deal now`,
  );

export const OTHER_PRICE = (price: number): string =>
  fault('invalid', 'price has changed', 'expected_price_per_unit', 'purchase', `a unit costs ${price} cents now`);
