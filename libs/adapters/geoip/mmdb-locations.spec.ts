import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Reader } from 'maxmind';
import { FILES } from '#kernel/bounds';
import { mmdb } from '../../../test/support/mmdb.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { MmdbLocations } from './mmdb-locations.js';

const at = (latitude: number, longitude: number) => ({ location: { latitude, longitude } });
const NETWORKS = {
  '192.0.2.0/25': at(42.36, -71.06),
  '192.0.2.128/25': at(40.71, -74),
  '198.51.100.7/32': { country: { iso_code: 'US' } },
  '198.51.100.8/32': { location: { latitude: 1 } },
  '203.0.113.0/24': { location: { latitude: '42', longitude: '-71' } },
  '2001:db8::/32': at(37.77, -122.42),
  '2001:db9:0:1::/64': at(-33.9, 151.2),
};

const WRONG = /^GEOIP_DB must be the path of an MMDB file with locations, such as GeoLite2-City\.mmdb: ./;

describe('the MMDB file that tests write', () => {
  it.each([4, 6] as const)('can be read by the library’s own reader, with its metadata (IPv%i)', (version) => {
    const of4 = Object.fromEntries(Object.entries(NETWORKS).filter(([network]) => !network.includes(':')));
    const reader = new Reader(mmdb(version === 4 ? of4 : NETWORKS, version));
    expect(reader.metadata).toMatchObject({
      binaryFormatMajorVersion: 2,
      databaseType: 'Test-City',
      description: { en: 'made by a test' },
      ipVersion: version,
      languages: [],
      recordSize: 24,
      buildEpoch: new Date(1_700_000_000_000),
    });
    expect(reader.getWithPrefixLength('192.0.2.127')).toEqual([at(42.36, -71.06), 25]);
    expect(reader.get('198.51.100.7')).toEqual({ country: { iso_code: 'US' } });
    expect(reader.get('198.51.100.9')).toBeNull();
    if (version === 6) expect(reader.getWithPrefixLength('2001:db8:1::1')).toEqual([at(37.77, -122.42), 32]);
  });
});

describe('C4: places of IP addresses', () => {
  const folder = tempFolder();
  let of6: MmdbLocations;
  let of4: MmdbLocations;
  const fileOf = (name: string, content: Buffer | string): string => {
    writeFileSync(join(folder.path, name), content);
    return join(folder.path, name);
  };
  beforeAll(async () => {
    of6 = await MmdbLocations.open(fileOf('both.mmdb', mmdb(NETWORKS)));
    of4 = await MmdbLocations.open(fileOf('four.mmdb', mmdb({ '0.0.0.0/1': at(1, 2), '128.0.0.0/1': at(3, 4) }, 4)));
  });
  afterAll(() => folder.remove());

  it.each([
    ['192.0.2.0', 42.36, -71.06],
    ['192.0.2.127', 42.36, -71.06],
    ['192.0.2.128', 40.71, -74],
    ['192.0.2.255', 40.71, -74],
    ['2001:db8::', 37.77, -122.42],
    ['2001:DB8:ffff:ffff:ffff:ffff:ffff:ffff', 37.77, -122.42],
    ['2001:db9:0:1::5', -33.9, 151.2],
  ])('%s is found', (address, latitude, longitude) => {
    expect(of6.find(address)).toEqual({ latitude, longitude });
  });

  it.each([
    ['an address of no network', '192.0.3.0'],
    ['one of version 6 of no network', '2001:db9:0:2::'],
    ['a record without a location', '198.51.100.7'],
    ['half a location', '198.51.100.8'],
    ['a location that is no number', '203.0.113.1'],
  ])('%s has no location', (_, address) => {
    expect(of6.find(address)).toBeUndefined();
  });

  it('a file of version 4 addresses knows no others', () => {
    expect(of4.find('10.0.0.1')).toEqual({ latitude: 1, longitude: 2 });
    expect(of4.find('200.0.0.1')).toEqual({ latitude: 3, longitude: 4 });
    expect(of4.find('2001:db8::1')).toBeUndefined();
  });

  it.each([
    ['text', 'not an MMDB file'],
    ['nothing', ''],
    ['half of one', mmdb(NETWORKS).subarray(0, 200)],
  ])('%s is refused by the name of the variable', async (_, content) => {
    const file = fileOf('wrong.mmdb', content);
    await expect(MmdbLocations.open(file)).rejects.toThrow(WRONG);
  });

  it('so is a file that is too large, or a path without a file', async () => {
    const file = fileOf('large.mmdb', '');
    truncateSync(file, FILES.geoip + 1);
    for (const path of [file, folder.path, '/dev/zero']) await expect(MmdbLocations.open(path)).rejects.toThrow(WRONG);
  });
});
