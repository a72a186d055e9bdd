import { z } from 'zod';
import { optional, seenPrice, text, units } from '#http';
import { CARD, NEW_USER, SHIPPING_ADDRESS_INPUT } from '#people';

const SEEN = 'Cents per unit that the buyer has seen. If the price has changed, the call buys nothing.';

/** The parameters of a full purchase, without user, card and address. */
export const FULL = z.object({
  deal_id: text('id'),
  quantity: units(),
  expected_price_per_unit: optional(seenPrice()).describe(SEEN),
  session_id: optional(text('line')).describe('The affiliate session.'),
});

/** A purchase with a stored card must name the expected price (ruling D5). */
export const STORED_CARD = FULL.extend({ expected_price_per_unit: seenPrice().describe(SEEN) });

/** All parameters of a full purchase (interface 4.6.1). `readOrder` reads its parts one by one, with these schemas. */
export const FULL_PURCHASE = FULL.extend({
  user_id: optional(text('id')).describe('Either this or user.'),
  user: NEW_USER.optional(),
  credit_card_id: optional(text('id')).describe('Either this or credit_card.'),
  credit_card: CARD.optional(),
  shipping_address_id: optional(text('id')).describe('This or shipping_address, for a shipped deal.'),
  shipping_address: SHIPPING_ADDRESS_INPUT.optional(),
});

/** The parameters of a purchase with a stored card: user and address only by their ids. */
export const STORED_CARD_PURCHASE = STORED_CARD.extend({
  user_id: text('id'),
  credit_card_id: text('id'),
  shipping_address_id: optional(text('id')).describe('For a shipped deal.'),
});

/** The sandbox gateway accepts this card number. */
export const FULL_EXAMPLE = {
  deal_id: 'rowing-on-the-charles',
  quantity: 1,
  user: { email: 'grace@example.com', password: 'correct horse', password_confirmation: 'correct horse' },
  credit_card: {
    number: '4242424242424242',
    verification_value: '123',
    month: '12',
    year: '2035',
    zip_code: '02114',
  },
};

export const STORED_CARD_EXAMPLE = {
  deal_id: 'rowing-on-the-charles',
  quantity: 1,
  expected_price_per_unit: 2500,
  user_id: '<user_id>',
  credit_card_id: '<credit_card_id>',
};
