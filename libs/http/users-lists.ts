import { applyDecorators, Get } from '@nestjs/common';
import type { z } from 'zod';
import type { AskedRows, Freshness, Paging } from '#eventsourcing';
import { partnerOf, sinceOf, type Call } from './call.js';
import { Describe, listOf } from './describe.js';
import { PAGING, pagingOf } from './lists.js';
import { OF_USER, PERHAPS_OF_USER } from './of-user.js';
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
  /** The list of the partner itself, for a call with its key that names no user; if absent, such a call must name one. */
  readonly partners?: PartnersList;
}

/** What a list has if it is the partner's own. */
export interface PartnersList {
  /** A sentence about it. */
  readonly summary: string;
  /** Filters of which it needs one: without any of them, it needs a user after all. */
  readonly needs?: readonly string[];
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
export const ListOfCaller = ({ name, item, filters = {}, partners }: UsersList): MethodDecorator =>
  applyDecorators(
    Get(name),
    Describe({
      summary: [
        `Lists the ${inWords(name)} of the access token’s user; with the partner’s key, of the user with this id.`,
        ...(partners === undefined ? [] : [partners.summary]),
      ].join(' '),
      parameters: (partners === undefined ? OF_USER : PERHAPS_OF_USER).extend(filters).extend(PAGING),
      answer: listOf(name, item),
      ...(partners?.needs !== undefined && { missing: 'user_id' }),
    }),
  );

const inWords = (name: string): string => name.replaceAll('_', ' ');

/** The page that a caller asks for of a list. */
export interface OwnPage<UserId extends string | undefined = string | undefined> extends AskedRows {
  readonly partnerId: string;
  /** Undefined for the partner's own list. */
  readonly userId: UserId;
  /** Where the call names the user: an unknown one is refused differently (ruling A8). */
  readonly named: 'in the path' | 'in a parameter';
}

/** The page that a caller asks for of a user's list. */
export type UsersPage = OwnPage<string>;

/**
 * Reads which page of which user's list a call asks for.
 * @param resource of errors, such as `saved_deal`
 * @param inPath the user in the path; absent if a parameter names the user
 */
export function usersPageOf(call: Call, freshness: Freshness, resource: string, inPath?: string): UsersPage {
  return pageOf(call, freshness, resource, inPath, () => read(OF_USER, call.parameters, resource).user_id);
}

/** The same for a list that may be the partner's own: then the call names no user. */
export function ownPageOf(
  call: Call,
  freshness: Freshness,
  resource: string,
  { partners }: UsersList,
  inPath?: string,
): OwnPage {
  const { parameters } = call;
  const isGiven = (name: string): boolean => parameters[name] !== undefined && parameters[name] !== '';
  const ofUser = partners?.needs?.some(isGiven) === false ? OF_USER : PERHAPS_OF_USER;
  return pageOf(call, freshness, resource, inPath, () => read(ofUser, parameters, resource).user_id);
}

/** @param inParameter reads the parameter that names the user, if the path names none */
function pageOf<UserId extends string | undefined>(
  call: Call,
  freshness: Freshness,
  resource: string,
  inPath: string | undefined,
  inParameter: () => UserId,
): OwnPage<UserId | string> {
  const [userId, paging] = readTogether<readonly [UserId | string, Paging]>(
    () => inPath ?? inParameter(),
    () => pagingOf(call.parameters, resource),
  );
  const named = inPath === undefined ? 'in a parameter' : 'in the path';
  return { partnerId: partnerOf(call).id, userId, named, paging, since: sinceOf(call, freshness) };
}
