import { OPERATORS, type Condition, type FilterName } from './condition.js';
import { FILTER_GRAMMAR } from './filter.grammar.js';
import { parserOf } from './generated-parser.js';

/** How to write each filter. */
const USAGE: { readonly [Name in FilterName]: `${Name}${string}` } = {
  category: 'category[a,b], by slug or name',
  subcategory: 'subcategory[a,b], by slug or name',
  price: `price>=500, with any of ${OPERATORS.join(' ')}, and price[100,200] for either, in cents`,
  region: 'region[a,b], by slug',
  region_city: 'region_city[city,ST], or several as region_city[[city,ST],[city,ST]]',
  lat_long: 'lat_long[latitude,longitude,miles]',
  sold_out: 'sold_out[false]',
};

/** The filters, described for people. */
export const FILTERS = Object.values(USAGE).join('; ');

/**
 * Reads a filter: a deal must meet all its conditions.
 * @throws BadQuery with the fault and its place (ruling B5)
 */
export const parseFilter: (text: string) => readonly Condition[] = parserOf(
  'filter',
  FILTER_GRAMMAR,
  `the filters are ${FILTERS}`,
);
