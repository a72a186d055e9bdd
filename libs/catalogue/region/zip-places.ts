import type { Zipcodes } from 'zipcodes';
import type { Place } from '#kernel';

/** Loaded when it is first asked for: the list of all ZIPs is 5 MB. */
const list = async (): Promise<Zipcodes> => (await import('zipcodes')).default;

/** Where a ZIP of five digits is; undefined for an unknown one, and for one whose place is not known. */
export async function placeOfZip(zip: string): Promise<Place | undefined> {
  const entry = (await list()).lookup(zip);
  return entry === undefined ? undefined : known([entry])[0];
}

/**
 * The middle of a city: the median of its ZIPs' latitudes and that of their longitudes. Unlike their mean it stays in the
 * city when a ZIP is listed at a wrong place, as one of New York's is, in Asia.
 * @param city spelled in full, in any case
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

/** Those of the list's entries that have a place. */
function known(entries: readonly { readonly [Part in keyof Place]: number | null }[]): Place[] {
  return entries.flatMap(({ latitude, longitude }) =>
    latitude === null || longitude === null || (latitude === 0 && longitude === 0) ? [] : [{ latitude, longitude }],
  );
}

/** Of an even count, the upper of the two in the middle. */
function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}
