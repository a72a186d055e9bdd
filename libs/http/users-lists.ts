import { applyDecorators, Get } from '@nestjs/common';
import type { z } from 'zod';
import type { AskedRows, Freshness } from '#eventsourcing';
import { partnerOf, sinceOf, type Call } from './call.js';
import { Describe, listOf } from './describe.js';
import { PAGING, pagingOf } from './lists.js';
import { OF_USER } from './of-user.js';
import { read, readTogether } from './parameters.js';

/** A list of what a user has, such as their coupons. */
export interface UsersList {
  /** The last part of both paths, and the field of the answer, such as `saved_deals`. */
  readonly name: string;
  readonly item: z.ZodType;
  /** Parameters besides count, page and per_page. */
  readonly filters?: z.ZodRawShape;
  /** A sentence about the call with a user in its path. */
  readonly besides?: string;
}

/** A call that lists what the user in the path has. */
export const ListOfUser = ({ name, item, filters = {}, besides }: UsersList): MethodDecorator =>
  applyDecorators(
    Get(`users/:user_id/${name}`),
    Describe({
      summary: [`Lists the ${inWords(name)} of a user.`, ...(besides === undefined ? [] : [besides])].join(' '),
      parameters: OF_USER.omit({ user_id: true }).extend(filters).extend(PAGING),
      answer: listOf(name, item),
    }),
  );

/** The same call without a user in its path: an access token says whose list it is (interface 4.9, ruling A7). */
export const ListOfCaller = ({ name, item, filters = {} }: UsersList): MethodDecorator =>
  applyDecorators(
    Get(name),
    Describe({
      summary: `Lists the ${inWords(name)} of the access token’s user; with the partner’s key, of the user with this id.`,
      parameters: OF_USER.extend(filters).extend(PAGING),
      answer: listOf(name, item),
    }),
  );

const inWords = (name: string): string => name.replaceAll('_', ' ');

/** The page that a caller asks for of a user's list. */
export interface UsersPage extends AskedRows {
  readonly partnerId: string;
  readonly userId: string;
  /** Where the call names the user: an unknown one is refused differently (ruling A8). */
  readonly named: 'in the path' | 'in a parameter';
}

/**
 * Reads which page of which user's list a call asks for.
 * @param resource of errors, such as `saved_deal`
 * @param inPath the user in the path; absent if a parameter names the user
 */
export function usersPageOf(call: Call, freshness: Freshness, resource: string, inPath?: string): UsersPage {
  const [userId, paging] = readTogether(
    () => inPath ?? read(OF_USER, call.parameters, resource).user_id,
    () => pagingOf(call.parameters, resource),
  );
  const named = inPath === undefined ? 'in a parameter' : 'in the path';
  return { partnerId: partnerOf(call).id, userId, named, paging, since: sinceOf(call, freshness) };
}
