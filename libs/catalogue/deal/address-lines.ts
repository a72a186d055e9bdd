import { formatAddress } from 'localized-address-format';
import type { DealLocation } from './deal.attributes.js';

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region' });

/** The lines of an address in the format of its country, with the country last. Leaves out unknown parts. */
export function addressLines(address: DealLocation['address']): readonly string[] {
  const { street, postal_code, locality, region, country } = address;
  const code = /^[a-z]{2}$/i.test(country ?? '') ? (country ?? '').toUpperCase() : undefined;
  const lines = formatAddress({
    ...(code !== undefined && { postalCountry: code }),
    ...(isFilled(region) && { administrativeArea: region }),
    ...(isFilled(locality) && { locality }),
    ...(isFilled(postal_code) && { postalCode: postal_code }),
    addressLines: isFilled(street) ? [street] : [],
  });
  const land = code === undefined ? country : COUNTRIES.of(code);
  return [...lines, land ?? ''].filter((line) => line.trim() !== '');
}

function isFilled(part: string | null): part is string {
  return part !== null && part.trim() !== '';
}
