import { describe, expect, it } from '@jest/globals';
import { categoryOf, causationOf, idOf, eventPlace, streamName } from './stream-name.js';

describe('the name of a stream', () => {
  it.each([
    ['coupon', '0f3a'],
    ['inventory', 'rowing-on-the-charles'],
    ['email', 'a@b-c'],
  ])('of %s and %s gives both back', (category, id) => {
    const stream = streamName(category, id);
    expect([categoryOf(stream), idOf(stream)]).toEqual([category, id]);
    expect(eventPlace(causationOf({ stream, revision: 12 }))).toEqual({ stream, revision: 12 });
  });

  it('is not found in other text', () => {
    expect(eventPlace('the deal')).toBeUndefined();
    expect(eventPlace('')).toBeUndefined();
  });
});
