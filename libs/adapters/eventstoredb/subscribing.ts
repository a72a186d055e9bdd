import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Time, Timer } from '#eventsourcing/ports';
import { isAnswer, isTooSlow, lacking, READ_ALL } from './answers.js';
import type { Leader } from './leader.js';
import type { LeaderReads } from './leader-reads.js';
import { eventOf, subscription } from './messages.js';
import type { LongCall } from './node-calls.js';
import type { Subscriber, Subscription } from './server.js';
import type { ServerNode } from './server-node.js';

/** Milliseconds between two checks whether a subscription's node still leads: it would not say so itself. */
const BEAT = 1_000;

/**
 * How long the server may take to confirm a subscription, in milliseconds. It does so at once; but a beginning that does not
 * reach it has no end either.
 */
const CONFIRMED_WITHIN = 10_000;

/**
 * Subscribes to the events after this position, of streams whose names begin with one of these, while the node leads.
 * @param reads checks whether it does
 */
export function subscribeTo(
  leader: Leader,
  reads: Pick<LeaderReads, 'verify'>,
  { after, names }: { readonly after: bigint; readonly names: readonly string[] },
  subscriber: Subscriber,
  time: Time,
): Subscription {
  let call: LongCall<ReadResp> | undefined;
  let beat: Timer | undefined;
  let confirmation: Timer | undefined;
  let left = false;
  const leave = (): void => {
    left = true;
    time.cancel(beat);
    time.cancel(confirmation);
    // Until it is left, the call stays open at the server.
    call?.cancel();
  };
  const drop: Subscriber['dropped'] = (why, error) => {
    if (left) return;
    leave();
    subscriber.dropped(why, error);
  };
  const broken = (): void => drop('broke');
  const begin = (node: ServerNode): void => {
    if (left) return;
    beat = time.every(BEAT, () => void reads.verify(node));
    confirmation = time.after(CONFIRMED_WITHIN, broken);
    node.ending.addEventListener('abort', broken, { once: true });
    // The handler stays for ever, because an error without a handler ends the process.
    call = node
      .read(subscription(after, names), Infinity)
      .on('error', (error) => {
        const answered = isAnswer(error);
        if (!left && !answered) leader.lost(node, error);
        drop(!answered ? 'broke' : isTooSlow(error) ? 'too slow' : 'refused', lacking(READ_ALL, error));
      })
      .on('end', broken)
      .on('data', (answer: ReadResp) => {
        if (left) return;
        time.cancel(confirmation);
        const event = eventOf(answer);
        if (event !== undefined) subscriber.event(event);
        const checkpoint = answer.getCheckpoint();
        if (checkpoint !== undefined) subscriber.searched?.(BigInt(checkpoint.getCommitPosition()));
        if (answer.hasCaughtUp()) subscriber.caughtUp();
      });
  };
  leader.node().then(begin, broken);
  return { leave, pause: () => call?.pause(), resume: () => call?.resume() };
}
