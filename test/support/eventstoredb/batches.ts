import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { NO_STREAM } from './commit-check.js';
import { reset } from './errors.js';
import { type Answer, answerTo, excessOf, expectedOf, isSound, proposed, streamName, timeLeftOf } from './messages.js';
import { clockOf, type Node, refusalOf, requiresLeader } from './node.js';

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** The call for many appends that each client of a server keeps open. */
export function serveBatches(node: Node, call: Call): void {
  call.on('data', (request: BatchAppendReq) => take(node, call, request)).on('end', () => call.end());
}

function take(node: Node, call: Call, request: BatchAppendReq): void {
  const { options, proposedMessagesList, isFinal } = request.toObject();
  // A later part of an append that was refused with its first part.
  if (options === undefined) return;
  const { step = 2_000 } = node.options;
  const answer = (outcome: Answer): void => {
    clearTimeout(timer);
    if (call.writable) call.write(answerTo(request, outcome));
  };
  const left = timeLeftOf(request, clockOf(node));
  let timer = setTimeout(() => answer('Timeout'), Math.max(1, Math.ceil(left / step)) * step).unref();
  const requested = {
    stream: streamName(options),
    expected: options.noStream === undefined ? expectedOf(options, options.streamPosition) : NO_STREAM,
    events: proposedMessagesList.map(proposed),
    connection: String(call.metadata.get('connection-name')[0]),
  };
  const leader = node.leader();
  // The client splits an append from 3 MiB on.
  const excess = excessOf(requested.events, node.options, isFinal);
  const begins = (prefix = '\0'): boolean => requested.stream.startsWith(prefix);
  const { denies, deniesStreams, strangeAbout, tooBusyFor, silentAbout } = node.options;
  if (excess !== undefined) {
    answer(excess);
  } else if (!isSound(requested.stream, requested.events)) {
    // A second answer follows.
    for (let answers = 0; answers < 2; answers += 1) answer('BadRequest');
  } else if (left <= 0) {
    // The server ignores an append after its deadline.
    answer('Timeout');
  } else if (leader === undefined) {
    answer('NotReady');
  } else if (leader !== node && requiresLeader(call.metadata)) {
    clearTimeout(timer);
    call.emit('error', refusalOf(node));
  } else if (denies === 'appends' || begins(deniesStreams)) {
    answer('AccessDenied');
  } else if (begins(strangeAbout)) {
    answer('Strange');
  } else if (begins(tooBusyFor)) {
    answer('TooBusy');
  } else if (begins(silentAbout)) {
    clearTimeout(timer);
    leader.appends.append(requested, () => undefined);
  } else if (!leader.appends.append(requested, (outcome) => acknowledge(leader, call, timer, () => answer(outcome)))) {
    // The server drops the second of two copies under way, and says so after its commit timeout.
    clearTimeout(timer);
    timer = setTimeout(() => answer('Timeout'), step).unref();
  }
}

function acknowledge({ options, appends }: Node, call: Call, timer: NodeJS.Timeout, answer: () => void): void {
  const { loseEvery = Infinity, lose } = options;
  if (appends.count % loseEvery !== 0) answer();
  else if (lose === 'silence') clearTimeout(timer);
  else if (lose === 'reset') call.emit('error', reset());
}
