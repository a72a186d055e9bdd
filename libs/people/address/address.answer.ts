import { z } from 'zod';

/** A shipping address as answers show it (ruling D13). Every field is null after the user was erased. */
export const SHIPPING_ADDRESS = z
  .strictObject({
    id: z.string(),
    shipping_address_id: z.string().describe('The same as id.'),
    name: z.string().nullable(),
    address_one: z.string().nullable(),
    address_two: z.string().nullable(),
    postal_code: z.string().nullable(),
    city: z.string().nullable(),
    state: z.string().nullable().describe('Two letters.'),
    country: z.string().nullable().describe('Two letters.'),
  })
  .meta({ id: 'ShippingAddress', description: 'The addresses that shipped deals go to.' });
