import { expect, it } from '@jest/globals';
import { DEAL_FIELDS } from './deal-fields.js';
import { DEAL_V3 } from './deal-v3.answer.js';

it('G11 2.3: the reference has every field of a v3 deal, in the order of answers', () => {
  expect(Object.keys(DEAL_V3.shape)).toEqual(Object.keys(DEAL_FIELDS));
});
