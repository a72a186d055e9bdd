// `#eventsourcing/projections`: builds views from the log. The projector's thread loads only this part of the engine.
export * from './projector.js';
export * from './pace-signals.js';
export type * from '../ports/finding.js';
export type * from '../ports/report.js';
export type { SeenBefore } from './stored-generations.js';
export * from './view-feed.js';
export * from '../events/codec.js';
export * from '../findings/accepted-loss.js';
export * from '../findings/finding.js';
export { type EventCounts, eventCountsView } from '../work/event-counts.view.js';
export { followersList, type OpenFollower } from '../work/followers.view.js';
