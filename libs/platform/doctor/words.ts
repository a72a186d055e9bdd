import { DAY, MINUTE, SECOND } from '#kernel';

const HOUR = 60 * MINUTE;
const KIB = 1_024;
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes for people, such as `1.5 GiB`. */
export function bytesInWords(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(KIB)));
  const number = bytes / KIB ** unit;
  return `${unit === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${UNITS[unit]}`;
}

/** A time for people, in its largest unit: `3 days`, `12 min`. @param milliseconds at least 0 */
export function timeInWords(milliseconds: number): string {
  if (milliseconds >= 2 * DAY) return `${Math.floor(milliseconds / DAY)} days`;
  if (milliseconds >= 2 * HOUR) return `${Math.floor(milliseconds / HOUR)} h`;
  if (milliseconds >= 2 * MINUTE) return `${Math.floor(milliseconds / MINUTE)} min`;
  return `${Math.round(milliseconds / SECOND)} s`;
}

/** The first of some names, and how many more there are. */
export function someOf(names: readonly string[], most = 5): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return names.slice(0, most).join(', ') + more;
}
