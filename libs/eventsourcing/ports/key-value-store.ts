/** The names of entries begin so that say nothing of the past, such as what was measured in the last hour: no backup has them. */
export const PASSING = 'passing/';
/** The first name after all of these. */
export const AFTER_PASSING = 'passing0';

/**
 * Small named texts about an installation, kept beside its keys (`state.db`, MongoDB). Every change is durable before its
 * promise resolves.
 */
export interface KeyValueStore {
  /** The text under this name; undefined if there is none. */
  get(name: string): Promise<string | undefined>;
  /** Stores a text unless there is one: of any number of rivals one wins, and all get its text. */
  insert(name: string, text: string): Promise<string>;
  /** Replaces the text if it is still `expected`. @returns whether it was */
  replace(name: string, expected: string, text: string): Promise<boolean>;
}
