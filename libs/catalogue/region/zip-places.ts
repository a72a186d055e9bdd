import type { ZipEntry, Zipcodes } from 'zipcodes';
import { wordsOf, type Place } from '#kernel';

/** Loads the list of all ZIPs at the first call: it has 5 MB. */
const list = async (): Promise<Zipcodes> => (await import('zipcodes')).default;

/** The cities of each known state that was asked for, by `keyOf` their name. */
const states = new Map<string, ReadonlyMap<string, Place>>();

/** The place of a ZIP of five digits; undefined for an unknown ZIP and for an unknown place. */
export async function placeOfZip(zip: string): Promise<Place | undefined> {
  const entry = (await list()).lookup(zip);
  return entry === undefined ? undefined : known([entry])[0];
}

/**
 * The centre of a city: the median of its ZIPs' latitudes and of their longitudes. Unlike a mean, a median stays in the
 * city when the list has one ZIP at a wrong place; it has one of New York's in Asia.
 * @param city the full name, in any case, with or without its accents and punctuation: the list has `Winston Salem`
 * @param state two letters, upper case
 */
export async function placeOfCity(city: string, state: string): Promise<Place | undefined> {
  const cities = states.get(state) ?? citiesOf((await list()).lookupByState(state));
  if (cities.size > 0) states.set(state, cities);
  return cities.get(keyOf(city));
}

/** No two cities of a state differ only in what this leaves out: a spec looks. */
function keyOf(city: string): string {
  return wordsOf(city).join('');
}

function citiesOf(entries: readonly ZipEntry[]): ReadonlyMap<string, Place> {
  const byCity = new Map<string, Place[]>();
  for (const entry of entries) {
    const city = keyOf(entry.city);
    const places = byCity.get(city) ?? [];
    byCity.set(city, places);
    places.push(...known([entry]));
  }
  const cities = [...byCity].filter(([, places]) => places.length > 0);
  return new Map(
    cities.map(([city, places]) => [
      city,
      {
        latitude: median(places.map(({ latitude }) => latitude)),
        longitude: median(places.map(({ longitude }) => longitude)),
      },
    ]),
  );
}

/** The places of the list's entries; leaves out entries without one. */
function known(entries: readonly { readonly [Part in keyof Place]: number | null }[]): Place[] {
  return entries.flatMap(({ latitude, longitude }) =>
    latitude === null || longitude === null || (latitude === 0 && longitude === 0) ? [] : [{ latitude, longitude }],
  );
}

/** The median; of an even count, the upper of the two in the middle. */
function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}
