import { type Difference } from './report.js';

/**
 * What the service's errors have besides the keys of 7.1, after them: `detail`, an explanation for people (docs/rules.md, A8), and
 * the `purchase_id` of a purchase that was declined or is being charged. Neither the interface nor a ruling names them, so the
 * script lists them as differences. A client that reads JSON by its keys does not see them.
 */
export function isBesides({ kind, at, received }: Difference): boolean {
  return kind === 'unlisted key' && /\.(?:detail|purchase_id)$/.test(at) && received.startsWith('"');
}
