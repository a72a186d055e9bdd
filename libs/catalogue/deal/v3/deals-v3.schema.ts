import { z } from 'zod';
import type { Paging } from '#eventsourcing';
import { BadQuery, isPlainNumber, pagingOf, unlessNumber, ValidationFailed, type Call } from '#http';
import { LISTS, TEXTS } from '#kernel/bounds';
import type { Condition } from './condition.js';
import { DEAL_FIELDS } from './deal-fields.js';
import { namesOf, readFields, type Chosen } from './fields.js';
import { FILTERS, parseFilter } from './filter.js';
import { readSort, SORTS, type SortV3 } from './sort.js';

/** A query for a v3 list (interface 4.2). */
export interface DealListRequestV3 {
  readonly fields: Chosen;
  readonly filter: readonly Condition[];
  readonly sort: SortV3;
  readonly paging: Paging;
  /** The keywords as given. */
  readonly keywords: {
    readonly fields: string;
    readonly filter: string | undefined;
    readonly sort: string | undefined;
  };
}

const LONGEST = TEXTS.keyword.most;
const MOST = LISTS.conditions;

const keyword = (meaning: string) => z.string().max(LONGEST).describe(meaning);

/** The keywords of a v3 query (interface 4.2). */
export const KEYWORDS = z.object({
  fields: keyword(
    `The fields to show, separated by commas. A field with sub-fields shows all of them, or those in brackets: \`id,title,images[small,large]\`. The fields are \`${namesOf(DEAL_FIELDS)}\`.`,
  ),
  sort: keyword(
    `Fields and their directions, such as \`start_at(desc)\`; if absent, the latest end comes first. Use ${SORTS}.`,
  ).optional(),
  filter: keyword(
    `Conditions, separated by commas; a deal must meet all: \`region[boston],price>=500,sold_out[false]\`. The filters are ${FILTERS}.`,
  ).optional(),
});

/** @throws BadQuery with the first keyword that is missing or wrong, and the reason (ruling B5) */
export function readListV3({ parameters }: Call): DealListRequestV3 {
  const fields = textOf(parameters, 'fields');
  if (fields === undefined) throw new BadQuery('fields= is required', `the fields are ${namesOf(DEAL_FIELDS)}`);
  const sort = textOf(parameters, 'sort');
  const filter = textOf(parameters, 'filter');
  return {
    fields: readFields(fields, DEAL_FIELDS),
    sort: readSort(sort),
    filter: filter === undefined ? [] : conditionsOf(filter),
    paging: pagingV3(parameters),
    keywords: { fields, filter, sort },
  };
}

function conditionsOf(text: string): readonly Condition[] {
  const conditions = parseFilter(text);
  if (conditions.length > MOST) throw new BadQuery(`filter= must be at most ${MOST} conditions`);
  return conditions;
}

/** A keyword's text. Joins a list with commas (ruling A2); an empty text counts as absent. */
function textOf(parameters: Call['parameters'], keyword: keyof typeof KEYWORDS.shape): string | undefined {
  const input = parameters[keyword];
  const parts: readonly unknown[] = Array.isArray(input) ? input : [input ?? ''];
  const wrong = parts.find((part) => typeof part !== 'string' && !isPlainNumber(part));
  if (wrong !== undefined) throw new BadQuery(`${keyword}= ${unlessNumber('must be text')({ input: wrong })}`);
  const text = parts.join(',');
  if (text.length > LONGEST) throw new BadQuery(`${keyword}= must be at most ${LONGEST} characters`);
  return text === '' ? undefined : text;
}

/** Reads the usual paging, but its faults are 400 here (ruling A10). */
export function pagingV3(parameters: Call['parameters']): Paging {
  try {
    return pagingOf(parameters, 'deal');
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    const [fault] = error.entries;
    throw new BadQuery(`${fault?.field ?? 'page'}= ${fault?.message ?? 'is wrong'}`);
  }
}
