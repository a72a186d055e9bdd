import { describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import fc from 'fast-check';
import { jsonAround, jsonOfPage, sendJson } from './json-page.js';

describe('a page of items that are JSON already', () => {
  const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { maxKeys: 3 });

  it('4.1: has exactly the bytes that it would have as one object', () => {
    fc.assert(
      fc.property(object, fc.array(fc.jsonValue(), { maxLength: 5 }), object, (before, items, after) => {
        const bytes = items.map((item) => Buffer.from(JSON.stringify(item)));
        const page = jsonOfPage({ before, name: 'items', items: bytes, after });
        // Fields with the same names, and names that are numbers, would come in another order.
        const fields = [before, { items }, after].map((each) => JSON.stringify(each).slice(1, -1));
        expect(page.toString()).toBe(`{${fields.filter((each) => each !== '').join(',')}}`);
      }),
    );
  });

  it('has exactly those bytes too if it is one item and no list', () => {
    fc.assert(
      fc.property(object, fc.jsonValue(), (before, item) => {
        const fields = [before, { item }].map((each) => JSON.stringify(each).slice(1, -1));
        const bytes = jsonAround(before, 'item')(Buffer.from(JSON.stringify(item)));
        expect(bytes.toString()).toBe(`{${fields.filter((each) => each !== '').join(',')}}`);
      }),
    );
  });

  it('4.1: is sent as JSON', () => {
    const types: string[] = [];
    const reply = { type: (type: string) => types.push(type) } as unknown as FastifyReply;
    const json = Buffer.from('{"id":"é"}');
    expect(sendJson(reply, json)).toBe(json);
    expect(types).toEqual(['application/json; charset=utf-8']);
  });
});
