import { z } from 'zod';
import {
  DEAL_STATES,
  DEAL_TYPES,
  dealListingView,
  regionsView,
  stateAt,
  type DealState,
  type ListedDeal,
  type Region,
} from '#catalogue/model';
import { boolean, MOMENT, oneOfWords, text } from '#http';
import { isoTime, type Instant } from '#kernel';
import { ofId, ofRegion, ofWord } from '../list/filters.js';
import { defineList } from '../list/list.js';

const COUNT = z.int().min(0);

const DEAL_LISTED = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    type: z.enum(DEAL_TYPES),
    state: z.enum(DEAL_STATES),
    region_id: z.string().nullable(),
    merchant_id: z.string().nullable(),
    current_price: z.int().nullable().describe('Cents.'),
    stock: COUNT.nullable().describe('Units in all; null for any number.'),
    held: COUNT,
    sold: COUNT,
    codes_left: COUNT.nullable().describe('Null for a deal without a pool of codes.'),
    start_at: MOMENT,
    end_at: MOMENT,
  })
  .meta({ id: 'OperatedDeal', description: 'A deal with its units, as lists of operators show it.' });

/** Deals with their units (ruling G4). */
export const DEALS = defineList({
  name: 'deals',
  kind: 'deal',
  page: ({ id }) => `/operators/deals/${id}`,
  lists: 'deals',
  view: dealListingView,
  sort: { field: 'end_at', descending: true, by: 'time' },
  order: 'those that end last first',
  filters: {
    merchant_id: { ...ofId('merchant_id', 'The id of a merchant.'), held: /./ },
    supplier_id: ofId('supplier_id', 'The id of a supplier.'),
    region_id: ofRegion(),
    type: ofWord('type', DEAL_TYPES),
    state: {
      schema: oneOfWords(DEAL_STATES),
      fits: (row: ListedDeal, state, now) => stateOf(row, now) === state,
    },
    title: {
      schema: text('line').describe('A part of the title, in any case.'),
      fits: ({ deal }: ListedDeal, part) => deal?.title.toLowerCase().includes(part.toLowerCase()) === true,
    },
  },
  item: DEAL_LISTED,
  present: (row, { now }) => {
    const { deal_id, deal, units } = row;
    if (deal === null) throw new Error(`${deal_id} has units and no deal, so it has no place in the list`);
    return {
      id: deal_id,
      title: deal.title,
      type: deal.type,
      state: stateAt({ state: deal.state, attributes: deal }, now),
      region_id: deal.region_id,
      merchant_id: deal.merchant_id,
      current_price: deal.current_price,
      stock: units?.stock ?? null,
      held: units?.held ?? 0,
      sold: units?.sold ?? 0,
      codes_left: units?.codes_left ?? null,
      start_at: isoTime(deal.start_at),
      end_at: isoTime(deal.end_at),
    };
  },
});

const stateOf = ({ deal }: ListedDeal, now: Instant): DealState | undefined =>
  deal === null ? undefined : stateAt({ state: deal.state, attributes: deal }, now);

const REGION_LISTED = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    time_zone: z.string(),
    active: z.boolean(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    radius: z.number().nullable().describe('Miles.'),
  })
  .meta({ id: 'OperatedRegion', description: 'A region, as lists of operators show it.' });

/** Regions (ruling G3). */
export const REGIONS = defineList({
  name: 'regions',
  kind: 'region',
  page: ({ id }) => `/auditors/streams/region-${id}`,
  lists: 'regions',
  view: regionsView,
  sort: { field: 'name', descending: false, by: 'text' },
  order: 'by name',
  filters: {
    active: { schema: boolean(), fits: (row: Region, active) => row.active === active },
  },
  item: REGION_LISTED,
  present: (row) => ({ ...row }),
});
