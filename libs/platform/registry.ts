import { auditing } from '#auditing/model';
import { catalogue } from '#catalogue/model';
import { engagement } from '#engagement/model';
import type { View, WorkList } from '#kernel';
import { lookup } from '#lookup/model';
import { mailing } from '#mailing/model';
import { Codec, eventCountsView, followersList } from '#eventsourcing/projections';
import { operations } from '#operations/model';
import { partners } from '#partners/model';
import { people } from '#people/model';
import { purchasing } from '#purchasing/model';

const contexts = [catalogue, purchasing, people, engagement, mailing, partners, operations, lookup, auditing];

export const deciders = contexts.flatMap((context) => context.deciders);
/** Stores and reads the events of all contexts. */
export const codec = new Codec(contexts.flatMap(({ events }) => events));
export const eventTypes = contexts.flatMap(({ events }) => events);
/** The categories of all streams. On a shared server, prefix, category and id show that a stream is ours. */
export const categories = eventTypes.map(({ category }) => category);
export const followers = contexts.flatMap((context) => context.followers);
/** What an audit checks of the streams of each context. */
export const streamRules = contexts.flatMap(({ rules = [] }) => rules);
/** The work list of followers that a crash cut off. */
export const openFollowers = followersList(followers, codec.names);
export const workLists: readonly WorkList[] = [...contexts.flatMap((context) => context.workLists), openFollowers];
export const views: readonly View[] = [
  ...contexts.flatMap((context) => context.views),
  ...workLists.map((list) => list.view),
];

/** Counts the events of a log whose positions count bytes: other logs number their events themselves. */
export const eventCounts = eventCountsView(codec.names);

/** The views on a log. */
export function viewsOn({ countsBytes }: { readonly countsBytes: boolean }): readonly View[] {
  return countsBytes ? [...views, eventCounts] : views;
}
