import { and, eq, gt, gte, lt, lte, oneOf } from '#eventsourcing';
import { categorySlug } from '../category-slug.js';
import { near, type DealWhere } from '../deal-criteria.js';
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
  const conditions = filter.map(async (condition): Promise<DealWhere> => {
    switch (condition.name) {
      case 'category':
      case 'subcategory':
        // A slug or a name, in any case (ruling B5): the slug of both is the same.
        return oneOf(`${condition.name}_slug`, condition.values.map(categorySlug));
      case 'price':
        if ('values' in condition) return oneOf('current_price', condition.values);
        return COMPARISONS[condition.operator]('current_price', condition.cents);
      case 'region':
        return oneOf('region_id', condition.values);
      case 'region_city':
        return oneOf('region_id', await Promise.all(condition.values.map(regionOf)));
      case 'lat_long':
        return near(condition.latitude, condition.longitude, condition.miles);
      case 'sold_out':
        return condition.value ? eq('num_left', 0) : gt('num_left', 0);
    }
  });
  return and(...(await Promise.all(conditions)));
}
