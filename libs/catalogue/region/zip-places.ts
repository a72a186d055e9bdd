import type { Zipcodes } from 'zipcodes';
import type { Place } from '#kernel';

/** Loads the list of all ZIPs at the first call: it has 5 MB. */
const list = async (): Promise<Zipcodes> => (await import('zipcodes')).default;

/** The place of a ZIP of five digits; undefined for an unknown ZIP and for an unknown place. */
export async function placeOfZip(zip: string): Promise<Place | undefined> {
  const entry = (await list()).lookup(zip);
  return entry === undefined ? undefined : known([entry])[0];
}

/**
 * The centre of a city: the median of its ZIPs' latitudes and of their longitudes. Unlike a mean, a median stays in the
 * city when the list has one ZIP at a wrong place; it has one of New York's in Asia.
 * @param city the full name, in any case
 * @param state two letters
 */
export async function placeOfCity(city: string, state: string): Promise<Place | undefined> {
  const places = known((await list()).lookupByName(city, state));
  if (places.length === 0) return undefined;
  return {
    latitude: median(places.map(({ latitude }) => latitude)),
    longitude: median(places.map(({ longitude }) => longitude)),
  };
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
