import { z } from 'zod';
import { MOMENT, success } from '#http';

/** An address of a user; null in every personal field if its user is erased. */
export const ADDRESS = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  address_one: z.string().nullable(),
  address_two: z.string().nullable(),
  postal_code: z.string().nullable(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  country: z.string().nullable(),
  removed: z.boolean().describe('Whether it is out of the user’s list.'),
});

export type ShownAddress = z.infer<typeof ADDRESS>;

const CARD = z.strictObject({
  id: z.string(),
  last4: z.string().describe('The last four digits of its number.'),
  type: z.string(),
  primary: z.boolean().describe('Whether it is the default.'),
  deleted: z.boolean(),
});

/** A user; every personal field is null in the moment in which they are erased. */
export const PERSON_SHOWN = z
  .strictObject({
    id: z.string(),
    email: z.string().nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    birthday: z.string().nullable().describe('YYYY-MM-DD.'),
    postal_code: z.string().nullable(),
    source: z.string().nullable(),
    token: z.string().nullable().describe('The partner’s own token for the user.'),
    credits: z.int().nullable().describe('Cents.'),
    partner_data: z.record(z.string(), z.unknown()).nullable(),
    deleted: z.boolean().describe('Whether the user is hidden.'),
    created_at: MOMENT,
    wants_batch_mails: z.boolean(),
  })
  .meta({ id: 'OperatedPerson', description: 'A user, as operators and auditors see them.' });

/** A user with what is known about them now. */
export const PERSON = success({
  partner_id: z.string(),
  user: PERSON_SHOWN,
  credit_cards: z.array(CARD),
  shipping_addresses: z.array(ADDRESS).describe('The newest 1000.'),
});
