import type { ShownSetting } from '#operations';
import { shownValue } from './doctor/without-secrets.js';
import type { Environment } from './environment.js';
import { SETTING_WORDS } from './setting-words.js';

/** Every setting with where it comes from. The value of one that may be a secret, or name somebody, is never there. */
export function shownSettings(environment: Environment): readonly ShownSetting[] {
  return Object.entries(SETTING_WORDS).map(([name, { means, without }]) => {
    const set = environment[name];
    return set === undefined
      ? { name, means, from: 'default', value: without }
      : { name, means, from: 'environment', value: shownValue(name, set) };
  });
}
