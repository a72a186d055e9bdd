import { isIPv6 } from 'node:net';
import { open, type CityResponse, type Reader } from 'maxmind';
import { IpLocations } from '#catalogue';
import { withFile } from '#files';
import type { Place } from '#kernel';
import { FILES } from '#kernel/bounds';

/** Finds the location of IP addresses in an MMDB file whose records have a `location`, such as GeoLite2-City. */
export class MmdbLocations extends IpLocations {
  private constructor(private readonly reader: Reader<CityResponse>) {
    super();
  }

  /**
   * Reads the whole file into memory.
   * @throws Error that names GEOIP_DB if the file cannot be read or is no MMDB file
   */
  static async open(file: string): Promise<MmdbLocations> {
    const failure = (why: string, cause?: unknown): Error =>
      new Error(`GEOIP_DB must be the path of an MMDB file with locations, such as GeoLite2-City.mmdb: ${why}`, {
        cause,
      });
    let size: number;
    try {
      size = withFile(file, (_, found) => found.size);
    } catch (error) {
      throw failure((error as Error).message, error);
    }
    if (size > FILES.geoip) throw failure(`${file} is larger than ${FILES.geoip} bytes`);
    try {
      return new MmdbLocations(await open<CityResponse>(file));
    } catch (error) {
      throw failure(`${file} is not one (${(error as Error).message})`, error);
    }
  }

  override find(address: string): Place | undefined {
    // The reader would look for the first 32 bits of a version 6 address in a version 4 tree.
    if (isIPv6(address) && this.reader.metadata.ipVersion === 4) return undefined;
    const location = this.reader.get(address)?.location;
    // The file's content is not trusted: a location that is incomplete, or not made of numbers, counts as none.
    const { latitude, longitude } = (location ?? {}) as Readonly<Record<string, unknown>>;
    return typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : undefined;
  }
}
