// The log holds these names: they never change.
import { defineEventTypes, type EventOf } from '#kernel';

/** The calls that show a person's data. */
export const SHOWN_BY = ['page', 'find', 'export', 'as_of'] as const;
export type ShownBy = (typeof SHOWN_BY)[number];

/** An operator or auditor saw the personal data of a user, for the first time on a day. */
export interface PersonRead {
  readonly user_id: string;
  /** The operator or auditor, as actors are named: `operator:ann`. */
  readonly reader: string;
  /** YYYY-MM-DD, in UTC. */
  readonly day: string;
  /** The call that showed it first. */
  readonly shown_by: ShownBy;
}

export type PersonReadsEvent = EventOf<'person-read.v1', PersonRead>;

export const personReadsEvents = defineEventTypes<PersonReadsEvent>('personReads', { 'person-read.v1': true });
