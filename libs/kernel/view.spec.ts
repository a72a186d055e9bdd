import { expect, it } from '@jest/globals';
import { defineView, places, value, type ViewDefinition } from './view.js';

type Definition = ViewDefinition<object, never, string>;

const FIELDS = { number: value(() => 1), at: places(() => []) };
const defined = (more: Partial<Definition>): unknown =>
  defineView<object, never, string>({ name: 'spots', version: 1, key: () => [], on: {}, fields: FIELDS, ...more });

it.each<[string, Partial<Definition>]>([
  ['an index of places', { indexes: [['at']] }],
  ['an order by places', { orders: [{ by: ['at'], covers: [] }] }],
  ['an order that covers what is no field', { orders: [{ by: ['number'], covers: ['size'] }] }],
  ['an order of places by places', { nearOrders: [{ near: 'at', by: { descending: 'at' } }] }],
])('a view cannot have %s', (_, more) => {
  expect(() => defined(more)).toThrow(/^view spots: the index names (at|size), which is not a value field$/);
});

it('a view can order places only', () => {
  expect(() => defined({ nearOrders: [{ near: 'number', by: 'number' }] })).toThrow(
    'view spots: the order near number, which is not a places field',
  );
  expect(defined({ nearOrders: [{ near: 'at', by: 'number' }] })).toHaveProperty('nearOrders.length', 1);
});
