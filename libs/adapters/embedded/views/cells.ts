import type { Place } from '#kernel';
import type { Where } from '#eventsourcing/ports';
import { boxOf } from './within-circle.js';

/** Degrees of a side of a cell: some 35 miles from south to north, so that a city's surroundings touch a few cells. */
const SIDE = 0.5;
const COLUMNS = 360 / SIDE;
/** The most cells that one query reads: about those that a circle of 100 miles touches in the United States. */
const MOST = 64;

/** The number of the cell of the earth that has this place. */
export function cellOf({ latitude, longitude }: Place): number {
  return numberOf(rowOf(latitude), columnOf(longitude));
}

/** The cells that the box around a circle touches; undefined if they are too many. */
export function cellsAround(circle: Extract<Where, { op: 'near' }>): readonly number[] | undefined {
  const box = boxOf(circle);
  if (box?.longitudes === undefined) return undefined;
  const [south, north] = [rowOf(box.south), rowOf(box.north)];
  const [west, east] = [columnOf(box.longitudes.west), columnOf(box.longitudes.east)];
  const [rows, columns] = [north - south + 1, east - west + 1];
  if (rows * columns > MOST) return undefined;
  return Array.from({ length: rows * columns }, (_, nth) =>
    numberOf(south + Math.floor(nth / columns), west + (nth % columns)),
  );
}

const rowOf = (latitude: number): number => Math.floor((latitude + 90) / SIDE);
const columnOf = (longitude: number): number => Math.floor((longitude + 180) / SIDE);

/** A column beyond the antimeridian is one on its other side. */
function numberOf(row: number, column: number): number {
  return row * COLUMNS + (((column % COLUMNS) + COLUMNS) % COLUMNS);
}
