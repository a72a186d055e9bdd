import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { type Answer, answerTo, MAX_APPEND_SIZE, proposed, streamName } from './messages.js';
import type { DoubleOptions } from './options.js';
import type { Store } from './store.js';

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** The appends of all connections: those that wait are committed together, then acknowledged. */
export class Appends {
  /** How many were carried out, whatever their outcome. */
  count = 0;
  /** How many came while the same one was under way, and so were dropped. */
  duplicates = 0;
  readonly #underWay = new Set<string>();
  /** Each writes, and returns how it is answered. */
  readonly #waiting: (() => () => void)[] = [];

  constructor(
    private readonly store: Store,
    private readonly options: () => DoubleOptions,
  ) {}

  /** One long-lived call with many appends. */
  serve(call: Call): void {
    call.on('data', (request: BatchAppendReq) => this.#take(call, request)).on('end', () => call.end());
  }

  #take(call: Call, request: BatchAppendReq): void {
    const { options, proposedMessagesList, isFinal } = request.toObject();
    // A later part of an append that was refused at its first one.
    if (options === undefined) return;
    const { step = 2_000, latency } = this.options();
    const [stream, events] = [streamName(options), proposedMessagesList.map(proposed)];
    const expected = options.noStream === undefined ? Number(options.streamPosition) : -1;
    const key = `${stream} ${expected} ${events[0]?.id}`;
    const duplicate = this.#underWay.has(key);
    const answer = (outcome: Answer): void => {
      clearTimeout(timer);
      if (call.writable) call.write(answerTo(request, outcome));
    };
    const left = Number(request.getOptions()?.getDeadline()?.toDate()) - Date.now();
    const timer = setTimeout(() => answer('Timeout'), duplicate ? step : Math.max(1, Math.ceil(left / step)) * step);
    const size = events.reduce((sum, { data }) => sum + Buffer.byteLength(data, 'base64'), 0);
    // The client sends an append in parts from 3 MiB on.
    if (!isFinal || size > MAX_APPEND_SIZE) {
      answer('MaximumAppendSizeExceeded');
    } else if (duplicate) {
      // The server drops the second of two copies under way, and says so after its commit time-out.
      this.duplicates += 1;
    } else {
      this.#underWay.add(key);
      this.#waiting.push(() => {
        const outcome = this.store.append(stream, expected, events);
        return () => {
          this.#underWay.delete(key);
          this.#acknowledge(call, timer, () => answer(outcome));
        };
      });
      if (this.#waiting.length > 1) return;
      if (latency === undefined) setImmediate(() => this.#commit());
      else setTimeout(() => this.#commit(), latency);
    }
  }

  #acknowledge(call: Call, timer: NodeJS.Timeout, answer: () => void): void {
    const { loseEvery = Infinity, lose } = this.options();
    this.count += 1;
    if (this.count % loseEvery !== 0) answer();
    else if (lose === 'silence') clearTimeout(timer);
    else if (lose === 'reset') call.emit('error', { code: status.UNAVAILABLE, details: 'read ECONNRESET' });
  }

  #commit(): void {
    const answers = this.#waiting.splice(0).map((write) => write());
    this.store.sync();
    for (const answer of answers) answer();
  }
}
