import {
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';
import { thisMachine } from '#adapters/machine';
import { type Timer, Unavailable } from '#eventsourcing';
import { codeOf } from './errors.js';

/** How long a call waits for its answer, in milliseconds. The driver itself would wait on a silent connection for ever. */
const PATIENCE = 8_000;
/** The longest that a slow call waits before it is made again, in milliseconds. */
const LONGEST_PATIENCE = 600_000;

/** Errors that mean a lost answer. */
const LOST = [
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  // Written, but perhaps not durable.
  MongoWriteConcernError,
];

/** Codes of a connection that has ended: the driver passes some errors of the system and of Node's streams on as they are. */
const ENDED = new Set<unknown>([
  'EPIPE',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOTCONN',
  'ETIMEDOUT',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Codes of a server that stops or is no longer the primary. */
const LEAVING = new Set<unknown>([91, 189, 10_107, 11_600, 11_602, 13_435, 13_436]);

/**
 * The server's answer.
 * @throws Unavailable if the server cannot be reached, does not answer in time, or cannot promise that a write lasts:
 * whether the call was carried out is then unknown
 */
export async function awaitServer<Answer>(
  call: Promise<Answer>,
  patience = PATIENCE,
  { time } = thisMachine,
): Promise<Answer> {
  let timer: Timer | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = time.after(patience, () => reject(new Unavailable('MongoDB does not answer')));
  });
  try {
    return await saidIfLost(Promise.race([call, silence]));
  } finally {
    time.cancel(timer);
  }
}

/**
 * The answer of a call that may take long and may be made again without harm, such as building an index. If there is no answer
 * for 8 s, it is made again, and then after twice as long each time: the request or its answer may have been lost.
 * @throws Unavailable as `awaitServer`
 */
export async function awaitSlow<Answer>(call: () => Promise<Answer>, machine = thisMachine): Promise<Answer> {
  const made: Promise<{ readonly answer: Answer }>[] = [];
  for (let patience = PATIENCE; ; patience = Math.min(2 * patience, LONGEST_PATIENCE)) {
    made.push(call().then((answer) => ({ answer })));
    let timer: Timer | undefined;
    const silence = new Promise<undefined>((resolve) => {
      timer = machine.time.after(patience, () => resolve(undefined));
    });
    // The answer of any of them counts.
    const first = await saidIfLost(Promise.race([...made, silence])).finally(() => machine.time.cancel(timer));
    if (first !== undefined) return first.answer;
  }
}

async function saidIfLost<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (isLost(error)) throw new Unavailable(`MongoDB cannot be used: ${(error as Error).message}`);
    throw error;
  }
}

function isLost(error: unknown): boolean {
  if (LOST.some((kind) => error instanceof kind)) return true;
  if (error instanceof MongoServerError) return LEAVING.has(error.code);
  return ENDED.has(codeOf(error));
}
