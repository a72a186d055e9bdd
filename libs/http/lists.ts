import { z } from 'zod';
import { boolean, integer, read } from './parameters.js';

/** The common list parameters (interface 4.1). */
export interface Paging {
  readonly count: boolean;
  readonly page: number;
  readonly perPage: number;
}

const COUNT = z.object({ count: boolean().optional() });
const PAGES = z.object({
  page: integer(1).optional(),
  per_page: integer(1, 1000).optional(),
});

export const PAGING_NAMES = ['count', 'page', 'per_page'] as const;

/** Reads count, page and per_page (ruling A10). Where the count is asked for, the others are ignored. */
export function pagingOf(parameters: Readonly<Record<string, unknown>>, resource: string): Paging {
  const { count } = read(COUNT, parameters, resource);
  if (count === true) return { count, page: 1, perPage: 100 };
  const { page, per_page } = read(PAGES, parameters, resource);
  return { count: false, page: page ?? 1, perPage: per_page ?? 100 };
}
