import type { SQLInputValue } from 'node:sqlite';
import { EARTH_RADIUS_MILES, type Where } from '#eventsourcing/ports';

type Near = Extract<Where, { op: 'near' }>;

/** How many degrees (about 0.1 mm) the box is larger than computed: it must never cut off a part of the circle. */
const MARGIN = 1e-9;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const degrees = (angle: number): number => (angle * 180) / Math.PI;

/** A box around a circle, in degrees. Its longitudes may go beyond 180; undefined if it has a pole, and so all of them. */
export interface Box {
  readonly south: number;
  readonly north: number;
  readonly longitudes: { readonly west: number; readonly east: number } | undefined;
}

/** The box around a circle; undefined if there is no such circle, or if it is the whole earth. */
export function boxOf({ latitude, longitude, miles }: Omit<Near, 'op' | 'field'>): Box | undefined {
  const angle = miles / EARTH_RADIUS_MILES;
  if (!(angle >= 0) || angle >= Math.PI) return undefined;
  const south = latitude - degrees(angle) - MARGIN;
  const north = latitude + degrees(angle) + MARGIN;
  if (south <= -90 || north >= 90) return { south, north, longitudes: undefined };
  const reach = degrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos(radians(latitude))))) + MARGIN;
  return { south, north, longitudes: { west: longitude - reach, east: longitude + reach } };
}

/**
 * The condition on the table `places` for a circle on the earth: first a box for the index, then the great circle
 * (haversine). A circle around a pole takes every longitude; one across the antimeridian continues on the other side.
 */
export function withinCircle(near: Near, bind: (value: SQLInputValue) => string): string {
  const { latitude, longitude, miles } = near;
  const angle = miles / EARTH_RADIUS_MILES;
  const box = boxOf(near);
  if (box === undefined) return angle >= Math.PI ? '1' : '0';
  const conditions = [`latitude BETWEEN ${bind(box.south)} AND ${bind(box.north)}`];
  if (box.longitudes !== undefined) conditions.push(longitudes(box.longitudes.west, box.longitudes.east, bind));
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
