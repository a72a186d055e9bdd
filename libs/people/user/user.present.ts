import { type AnswerOf, type Presenters, newestOf } from '#http';
import type { Profile } from './profile.js';
import type { USER } from './user.answer.js';
import type { UserRow } from './user.row.js';

/** The user's answer (interface 2.7, ruling B8). Shows nothing of a profile whose key was destroyed. */
function firstUser(row: Pick<UserRow, 'user_id'>, profile: Profile | null): AnswerOf<typeof USER> {
  return {
    id: row.user_id,
    firstname: profile?.first_name ?? null,
    lastname: profile?.last_name ?? null,
    image_url: null,
    points: 0,
    token: profile?.token ?? null,
  };
}

/** By the version of the answers (ruling H6). */
export const userPresenters: Presenters<typeof firstUser> = { 1: firstUser };

/** The user’s answer (interface 2.7, ruling B8). */
export const presentUser = newestOf(userPresenters);
