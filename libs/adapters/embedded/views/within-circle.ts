import type { SQLInputValue } from 'node:sqlite';
import { EARTH_RADIUS_MILES, type Where } from '#eventsourcing/ports';

type Near = Extract<Where, { op: 'near' }>;

/** How many degrees (about 0.1 mm) the box is larger than computed: it must never cut off a part of the circle. */
const MARGIN = 1e-9;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const degrees = (angle: number): number => (angle * 180) / Math.PI;

/**
 * The condition on the table `places` for a circle on the earth: first a box for the index, then the great circle
 * (haversine). A circle around a pole takes every longitude; one across the antimeridian continues on the other side.
 */
export function withinCircle(near: Near, bind: (value: SQLInputValue) => string): string {
  const { latitude, longitude, miles } = near;
  const angle = miles / EARTH_RADIUS_MILES;
  if (!(angle >= 0)) return '0';
  if (angle >= Math.PI) return '1';
  const south = latitude - degrees(angle) - MARGIN;
  const north = latitude + degrees(angle) + MARGIN;
  const conditions = [`latitude BETWEEN ${bind(south)} AND ${bind(north)}`];
  if (south > -90 && north < 90) {
    const reach = degrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos(radians(latitude))))) + MARGIN;
    conditions.push(longitudes(longitude - reach, longitude + reach, bind));
  }
  conditions.push(
    `pow(sin(radians(latitude - ${bind(latitude)}) / 2), 2) + ${bind(Math.cos(radians(latitude)))} * cos(radians(latitude))` +
      ` * pow(sin(radians(longitude - ${bind(longitude)}) / 2), 2) <= ${bind(Math.sin(angle / 2) ** 2)}`,
  );
  return conditions.join(' AND ');
}

function longitudes(west: number, east: number, bind: (value: SQLInputValue) => string): string {
  const ranges = [`longitude BETWEEN ${bind(west)} AND ${bind(east)}`];
  if (west < -180) ranges.push(`longitude >= ${bind(west + 360)}`);
  if (east > 180) ranges.push(`longitude <= ${bind(east - 360)}`);
  return `(${ranges.join(' OR ')})`;
}
