import { eq, gt, gte, lt, lte, oneOf } from '#eventsourcing';
import { categorySlug } from '../category-slug.js';
import { near, type DealWhere } from '../deal-criteria.js';
import { allOf } from '../simpler.js';
import type { Condition, FilterCity } from './condition.js';

const COMPARISONS = { '<': lt, '<=': lte, '=': eq, '>=': gte, '>': gt } as const;

/**
 * Finds the deals of the listing that meet every condition.
 * @param regionOf returns the slug of a city's region (ruling C4); its errors reach the caller
 */
export async function whereOf(
  filter: readonly Condition[],
  regionOf: (city: FilterCity) => Promise<string>,
): Promise<DealWhere> {
  const conditions: DealWhere[] = [];
  for (const condition of filter) conditions.push(await conditionOf(condition, regionOf));
  return allOf(conditions);
}

async function conditionOf(condition: Condition, regionOf: (city: FilterCity) => Promise<string>): Promise<DealWhere> {
  switch (condition.name) {
    case 'category':
    case 'subcategory':
      // A slug or a name, in any case (ruling B5): the slug of both is the same.
      return oneOf(`${condition.name}_slug`, distinct(condition.values.map(categorySlug)));
    case 'price':
      if ('values' in condition) return oneOf('current_price', distinct(condition.values));
      return COMPARISONS[condition.operator]('current_price', condition.cents);
    case 'region':
      return oneOf('region_id', distinct(condition.values));
    case 'region_city': {
      const regions: string[] = [];
      for (const city of condition.values) regions.push(await regionOf(city));
      return oneOf('region_id', distinct(regions));
    }
    case 'lat_long':
      return near(condition.latitude, condition.longitude, condition.miles);
    case 'sold_out':
      return condition.value ? eq('num_left', 0) : gt('num_left', 0);
  }
}

/** One value that is given twice is still one: a store can read its rows in their order. */
function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
