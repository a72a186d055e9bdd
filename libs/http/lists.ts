import { z } from 'zod';
import { boolean, integer, read } from './parameters.js';

/** The common list parameters (interface 4.1). */
export interface Paging {
  readonly count: boolean;
  readonly page: number;
  readonly perPage: number;
}

const PAGING = z.object({
  count: boolean().optional(),
  page: integer(1).optional(),
  per_page: integer(1, 1000).optional(),
});

export const PAGING_NAMES = ['count', 'page', 'per_page'] as const;

/** Reads count, page and per_page (ruling A10). */
export function pagingOf(parameters: Readonly<Record<string, unknown>>, resource: string): Paging {
  const { count, page, per_page } = read(PAGING, parameters, resource);
  return { count: count ?? false, page: page ?? 1, perPage: per_page ?? 100 };
}
