import { describe, expect, it } from '@jest/globals';
import zipcodes from 'zipcodes';
import { wordsOf } from '#kernel';
import { placeOfCity } from './zip-places.js';

/** Every city of the list, as `state: name`. */
const CITIES = new Set(
  Object.values((zipcodes as unknown as { readonly codes: Record<string, { city: string; state: string }> }).codes).map(
    ({ city, state }) => `${state}: ${city}`,
  ),
);

describe('C4: the places of cities', () => {
  it('have names that differ in more than case, accents, punctuation and blanks', () => {
    expect(CITIES.size).toBeGreaterThan(20_000);
    expect(new Set(Array.from(CITIES, (city) => wordsOf(city).join('').concat(city.slice(0, 2)))).size).toBe(
      CITIES.size,
    );
  });

  it('are the same however the name is written', async () => {
    const place = await placeOfCity('Winston Salem', 'NC');
    expect(place?.latitude).toBeCloseTo(36.1, 0);
    for (const name of ['Winston-Salem', 'WINSTON SALEM', 'winstonsalem', 'Wínston–Sálem', ' Winston -- Salem '])
      expect(await placeOfCity(name, 'NC')).toEqual(place);
    for (const [name, state] of [
      ['Winston Salem', 'VA'],
      ['Winston', 'XX'],
      ['', 'NC'],
      ['-', 'NC'],
    ] as const)
      expect(await placeOfCity(name, state)).toBeUndefined();
  });
});
