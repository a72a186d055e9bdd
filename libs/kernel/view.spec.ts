import { expect, it } from '@jest/globals';
import { defineView, places, text, value, type ViewDefinition } from './view.js';

type Definition = ViewDefinition<object, never, string>;

const FIELDS = { number: value(() => 1), name: text(() => 'spot'), at: places(() => []) };
const defined = (more: Partial<Definition>): unknown =>
  defineView<object, never, string>({ name: 'spots', version: 1, key: () => [], on: {}, fields: FIELDS, ...more });

it.each<[string, Partial<Definition>]>([
  ['an index of places', { indexes: [['at']] }],
  ['an order by places', { orders: [{ by: ['at'], covers: [] }] }],
  ['an order by a text', { orders: [{ by: ['name'], covers: [] }] }],
  ['an order of places by places', { nearOrders: [{ near: 'at', by: { descending: 'at' } }] }],
])('a view cannot have %s', (_, more) => {
  expect(() => defined(more)).toThrow(/^view spots: the index names (at|name), which is not a value field$/);
});

it.each(['at', 'size'])('an order cannot cover %s', (field) => {
  expect(() => defined({ orders: [{ by: ['number'], covers: [field] }] })).toThrow(
    `view spots: the order covers ${field}, which is neither a value nor a text field`,
  );
});

it('an order can cover values and texts', () => {
  const orders = [{ by: ['number'], covers: ['number', 'name'] }];
  expect(defined({ orders })).toHaveProperty('orders', orders);
});

it('a view can order places only', () => {
  expect(() => defined({ nearOrders: [{ near: 'number', by: 'number' }] })).toThrow(
    'view spots: the order near number, which is not a places field',
  );
  expect(defined({ nearOrders: [{ near: 'at', by: 'number' }] })).toHaveProperty('nearOrders.length', 1);
});
