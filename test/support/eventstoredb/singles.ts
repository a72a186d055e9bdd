import type { AppendReq, AppendResp, DeleteReq, DeleteResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Metadata, sendUnaryData, ServerReadableStream, ServerUnaryCall } from '@grpc/grpc-js';
import { type Expected, NO_STREAM } from './commit-check.js';
import { streamDeleted, timedOut, tooLarge, wrongVersion } from './errors.js';
import { appendRefused, appendSucceeded, excessOf, expectedOf, proposed, streamName } from './messages.js';
import { type Node, refusalOf, requiresLeader } from './node.js';
import type { Outcome } from './store.js';

/** The separate call that the client makes for each append with credentials. */
export function serveAppend(
  node: Node,
  call: ServerReadableStream<AppendReq, AppendResp>,
  answer: sendUnaryData<AppendResp>,
): void {
  const requests: AppendReq[] = [];
  call.on('data', (request: AppendReq) => requests.push(request));
  call.on('end', () => {
    const [first, ...others] = requests.map((request) => request.toObject());
    if (first?.options === undefined) return;
    const { options } = first;
    const stream = streamName(options);
    const expected = options.noStream === undefined ? expectedOf(options, options.revision) : NO_STREAM;
    const events = others.flatMap(({ proposedMessage }) => (proposedMessage ? [proposed(proposedMessage)] : []));
    const leader = leaderFor(node, call, answer);
    if (leader === undefined) return;
    const excess = excessOf(events, leader.options);
    if (excess !== undefined) {
      answer(tooLarge(excess.most));
      return;
    }
    const connection = String(call.metadata.get('connection-name')[0]);
    const taken = leader.appends.append({ stream, expected, events, connection }, (outcome) => {
      if ('deleted' in outcome) answer(streamDeleted(stream));
      else answer(null, 'actual' in outcome ? appendRefused(expected, outcome.actual) : appendSucceeded(outcome));
    });
    if (!taken) setTimeout(() => answer(timedOut()), node.options.step ?? 2_000);
  });
}

/** Hides a stream, or ends it for ever: both calls look alike. */
export function serveDelete(
  node: Node,
  call: ServerUnaryCall<DeleteReq, DeleteResp>,
  answer: sendUnaryData<DeleteResp>,
  how: 'softly' | 'for ever',
): void {
  const { options } = call.request.toObject();
  if (options === undefined) return;
  const leader = leaderFor(node, call, answer);
  if (leader === undefined) return;
  const stream = streamName(options);
  const expected = options.noStream === undefined ? expectedOf(options, options.revision) : NO_STREAM;
  leader.appends.write(() => {
    const outcome = leader.store.delete(stream, expected, how);
    return () => answerDelete(stream, expected, outcome, how, answer);
  });
}

function answerDelete(
  stream: string,
  expected: Expected,
  outcome: Outcome,
  how: 'softly' | 'for ever',
  answer: sendUnaryData<DeleteResp>,
): void {
  const expectedRevision = typeof expected === 'number' ? expected : { any: -2, exists: -4 }[expected];
  if ('deleted' in outcome) answer(streamDeleted(stream));
  else if ('actual' in outcome) answer(wrongVersion(stream, expectedRevision, outcome.actual));
  else {
    // Two types of the same shape; only their encoding differs.
    const Response = how === 'softly' ? streams.DeleteResp : streams.TombstoneResp;
    const place = String(outcome.position);
    const position = new Response.Position().setCommitPosition(place).setPreparePosition(place);
    answer(null, new Response().setPosition(position));
  }
}

function leaderFor<T>(node: Node, call: { readonly metadata: Metadata }, answer: sendUnaryData<T>): Node | undefined {
  const leader = node.leader();
  if (leader !== undefined && (leader === node || !requiresLeader(call.metadata))) return leader;
  answer(refusalOf(node) ?? null);
  return undefined;
}
