import { describe, expect, it } from '@jest/globals';
import type { Place } from '#kernel';
import { IpLocations } from './ip-locations.js';
import { milesBetween } from './great-circle.js';
import { RegionFinder } from './region-finder.js';
import type { Region } from './region.events.js';

const BOSTON = { latitude: 42.36, longitude: -71.06 };
const NEW_YORK = { latitude: 40.75, longitude: -73.99 };
const SAN_FRANCISCO = { latitude: 37.77, longitude: -122.42 };

const region = (id: string, place: Place | null, radius: number | null, active = true): Region => ({
  id,
  name: id,
  time_zone: 'UTC',
  active,
  latitude: place?.latitude ?? null,
  longitude: place?.longitude ?? null,
  radius,
});

const REGIONS = [
  region('boston', BOSTON, 40),
  region('cambridge', { latitude: 42.3715, longitude: -71.1051 }, 3),
  region('closed', NEW_YORK, 100, false),
  region('everywhere', null, null),
  region('middle', null, 12_500),
  region('new-york', { latitude: 40.7, longitude: -74.1 }, 30),
  region('pointless', BOSTON, null),
  region('san-francisco', SAN_FRANCISCO, 25),
  region('winston', { latitude: 36.1, longitude: -80.24 }, 10),
  region('idaho', { latitude: 47.69, longitude: -116.78 }, 10),
  region('canon-city', { latitude: 38.44, longitude: -105.24 }, 10),
];

class Addresses extends IpLocations {
  override find(address: string): Place | undefined {
    return { '192.0.2.1': BOSTON, '2001:db8::1': SAN_FRANCISCO, '192.0.2.9': { latitude: 0, longitude: 0 } }[address];
  }
}

function finder(regions = REGIONS, addresses: IpLocations | undefined = new Addresses()): RegionFinder {
  const find = async (id: string): Promise<Region | undefined> => regions.find((each) => each.id === id);
  return new RegionFinder({ find, all: async () => regions }, addresses);
}
const found = async (text: string, regions = REGIONS): Promise<string> => (await finder(regions).regionOf(text)).id;

describe('C4: the region of a place', () => {
  it.each([
    ['boston', 'boston'],
    ['closed', 'closed'],
    ['everywhere', 'everywhere'],
    ['10001', 'new-york'],
    ['10001-0001', 'new-york'],
    ['02114', 'boston'],
    ['02114-9999', 'boston'],
    ['02139', 'cambridge'],
    ['94103', 'san-francisco'],
    ['Boston, MA', 'boston'],
    ['bOSTON,ma', 'boston'],
    ['Boston/MA', 'boston'],
    ['Cambridge, MA', 'cambridge'],
    ['Worcester, MA', 'boston'],
    ['new york, ny', 'new-york'],
    ['Jersey City, NJ', 'new-york'],
    ['San Francisco/CA', 'san-francisco'],
    ['Winston-Salem, NC', 'winston'],
    ['winston salem,nc', 'winston'],
    ['WinstonSalem/NC', 'winston'],
    ['Winston–Salem, NC', 'winston'],
    ["Coeur d'Alene, ID", 'idaho'],
    ['Coeur d’Alene, ID', 'idaho'],
    ['Coeur d Alene, ID', 'idaho'],
    ['COEUR DALENE/id', 'idaho'],
    ['Cœur d’Alène, ID', 'idaho'],
    ['Cañon City, CO', 'canon-city'],
    ['Canon City, CO', 'canon-city'],
    ['Can\u0303on-City/CO', 'canon-city'],
    ['192.0.2.1', 'boston'],
    ['2001:db8::1', 'san-francisco'],
  ])('%s: %s', async (text, id) => {
    expect(await found(text)).toBe(id);
  });

  it.each([
    ['nowhere', 'region nowhere is not known'],
    ['Boston', 'region Boston is not known'],
    ['99999', 'region of ZIP 99999 is not known: there is no such ZIP'],
    // The list has this ZIP, but no place for it.
    ['09003', 'region of ZIP 09003 is not known: there is no such ZIP'],
    ['60601', 'region of ZIP 60601 is not known: no active region covers it'],
    ['Bstn, MA', 'region of Bstn, MA is not known: there is no such city'],
    ['St Louis, MO', 'region of St Louis, MO is not known: there is no such city'],
    ['-, MO', 'region of -, MO is not known: there is no such city'],
    ['Boston, XX', 'region of Boston, XX is not known: there is no such city'],
    ['Saint Louis, mo', 'region of Saint Louis, MO is not known: no active region covers it'],
    ['192.0.2.2', 'region of 192.0.2.2 is not known: GEOIP_DB does not have it'],
    ['192.0.2.9', 'region of 192.0.2.9 is not known: no active region covers it'],
    ['constructor', 'region constructor is not known'],
  ])('%s: %s', async (text, message) => {
    await expect(finder().regionOf(text)).rejects.toMatchObject({ code: 'find_failed', message });
  });

  it('without a database, the refusal of an address says that GEOIP_DB is not set', async () => {
    const without = new RegionFinder({ find: async () => undefined, all: async () => REGIONS }, undefined);
    await expect(without.regionOf('2001:db8::1')).rejects.toMatchObject({
      code: 'find_failed',
      message: 'region of 2001:db8::1 is not known: GEOIP_DB is not set',
    });
  });

  it('is the nearest that covers it, and of two equally near ones the first by slug, in any order of the list', async () => {
    const near = region('near', { latitude: 42.37, longitude: -71.06 }, 5);
    const far = region('far', { latitude: 42.9, longitude: -71.06 }, 500);
    const twin = region('a-twin', { latitude: 42.37, longitude: -71.06 }, 900);
    expect(await found('192.0.2.1', [far, near])).toBe('near');
    expect(await found('192.0.2.1', [near, far])).toBe('near');
    expect(await found('192.0.2.1', [near, twin, far])).toBe('a-twin');
    expect(await found('192.0.2.1', [twin, near, far])).toBe('a-twin');
    expect(await found('192.0.2.1', [{ ...near, radius: 0.1 }, far])).toBe('far');
    expect(await found('192.0.2.1', [{ ...near, active: false }, far])).toBe('far');
  });

  it('ends exactly at its radius', async () => {
    const miles = milesBetween(BOSTON, NEW_YORK);
    expect(await found('192.0.2.1', [region('edge', NEW_YORK, miles)])).toBe('edge');
    expect(await found('192.0.2.1', [region('edge', BOSTON, 0)])).toBe('edge');
    await expect(found('192.0.2.1', [region('edge', NEW_YORK, miles - 1e-6)])).rejects.toMatchObject({
      message: 'region of 192.0.2.1 is not known: no active region covers it',
    });
  });
});

describe('C4: miles on the great circle', () => {
  it.each([
    ['Boston to New York', BOSTON, NEW_YORK, 188.2],
    ['New York to San Francisco', NEW_YORK, SAN_FRANCISCO, 2566],
    ['over the antimeridian', { latitude: 0, longitude: 179.5 }, { latitude: 0, longitude: -179.5 }, 69.1],
    ['from pole to pole', { latitude: 90, longitude: 10 }, { latitude: -90, longitude: 100 }, 12_436.8],
    ['nowhere', BOSTON, BOSTON, 0],
  ])('%s', (_, one, other, miles) => {
    expect(milesBetween(one, other)).toBeCloseTo(miles, miles > 1000 ? -1 : 0);
    expect(milesBetween(other, one)).toBeCloseTo(miles, miles > 1000 ? -1 : 0);
  });
});
