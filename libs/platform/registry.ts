import { catalogue } from '#catalogue/model';
import type { View, WorkList } from '#kernel';
import { Codec, followersList } from '#eventsourcing/projections';
import { operations } from '#operations/model';
import { partners } from '#partners/model';
import { people } from '#people/model';
import { purchasing } from '#purchasing/model';

const contexts = [catalogue, purchasing, people, partners, operations];

/** Everything that the contexts put into the log, and everything that is built from it. */
export const codec = new Codec(contexts.flatMap(({ events }) => events));
export const eventTypes = contexts.flatMap(({ events }) => events);
/** The categories of all streams: with the prefix before and an id behind, they name what is ours on a shared server. */
export const categories = eventTypes.map(({ category }) => category);
export const followers = contexts.flatMap((context) => context.followers);
/** Followers that a crash cut off, of all contexts. */
export const openFollowers = followersList(followers, codec.names);
export const workLists: readonly WorkList[] = [...contexts.flatMap((context) => context.workLists), openFollowers];
export const views: readonly View[] = [
  ...contexts.flatMap((context) => context.views),
  ...workLists.map((list) => list.view),
];
