/**
 * A decider cannot decide a command that rests on an older look at the stream than it needs. Whoever sent the command looks
 * again, and sends another one. No caller of the service sees this.
 */
export class LookAgain extends Error {
  override name = 'LookAgain';
}
