import {
  categoryOf,
  namedOnce,
  eventPlace,
  SECOND,
  streamOf,
  value,
  type Decided,
  type EventMetadata,
  type EventPlace,
  type Followers,
  type FollowUp,
  type Recorded,
  type View,
  type WorkList,
  type WorkRow,
} from '#kernel';

/** Decisions of `stream` whose followers are missing in one other stream. */
export interface OpenFollower extends WorkRow {
  readonly stream: string;
  readonly revisions: readonly number[];
}

/** Followers are written right after their decision. If one is missing after this time, a crash cut it off. */
const DUE_AFTER = 5 * SECOND;

/**
 * The work list of followers that a crash cut off. A row is for one decision stream and one follower's stream. The
 * follower's event names its decision as cause; that closes this decision and the earlier ones.
 */
export function followersList(followers: readonly Followers[], types: readonly string[]): WorkList<OpenFollower> {
  const view = followersView(followers, types);
  return {
    name: view.name,
    view,
    shown: {
      does: 'Writes the events in other streams that a decision leads to, if a crash cut them off.',
      about: (_, { stream }) => ({ stream }),
      openedAt: ({ due_at }) => due_at - DUE_AFTER,
      insteadOfAbandoning: () =>
        'mend what its error says, and try it again: a sale would lack its purchase or its coupons',
    },
  };
}

function followersView(followers: readonly Followers[], types: readonly string[]): View<OpenFollower> {
  const directives = directivesOf(followers);
  return {
    name: 'followers',
    version: 1,
    types: new Set(types),
    fields: { due_at: value<OpenFollower>((row) => row.due_at) },
    indexes: [['due_at']],
    orders: [],
    nearOrders: [],
    keys(event) {
      if (!isOurs(event)) return [];
      const decision = decisionOf(event);
      if (decision !== undefined) return [keyOfFollower(decision.stream, event.stream)];
      const followUps = directives(event);
      if (followUps.length === 0) return [];
      return [...new Set(followUps.map((directive) => keyOfFollower(event.stream, streamOf(directive))))];
    },
    apply(row, event) {
      const decision = decisionOf(event);
      if (decision === undefined) {
        const revisions = [...(row?.revisions ?? []), event.revision];
        return { due_at: row?.due_at ?? event.metadata.time + DUE_AFTER, stream: event.stream, revisions };
      }
      const revisions = row?.revisions.filter((revision) => revision > decision.revision) ?? [];
      return row === undefined || revisions.length === 0 ? undefined : { ...row, revisions };
    },
  };
}

/** On a shared server another application may use our names for its own events; the metadata distinguish them. */
function isOurs({ metadata }: Recorded): boolean {
  const causation: unknown = (metadata as Partial<EventMetadata> | null | undefined)?.causation;
  return causation === null || (typeof causation === 'string' && eventPlace(causation) !== undefined);
}

/** The decision that a follower names as cause; undefined for a decision, whose cause may be an event of its own stream. */
function decisionOf({ stream, metadata: { causation } }: Recorded): EventPlace | undefined {
  const place = causation === null ? undefined : eventPlace(causation);
  return place?.stream === stream ? undefined : place;
}

/** The key of the row for one decision stream and one follower's stream. */
export function keyOfFollower(decision: string, follower: string): string {
  return `${decision}>${follower}`;
}

/** The directives that follow from each event. */
export function directivesOf(followers: readonly Followers[]): (event: Recorded) => readonly FollowUp[] {
  const categories = namedOnce('tables of followers', followers, ({ category }) => category);
  return (event) => {
    const handler = categories.get(categoryOf(event.stream))?.on[event.type];
    return handler === undefined ? [] : handler(event as Decided<never>);
  };
}
