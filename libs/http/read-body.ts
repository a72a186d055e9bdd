import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Time, Timer } from '#eventsourcing';
import { BODY_LIMITS, WAITS } from '#kernel/bounds';
import { Refused } from './errors.js';
import type { BodyRoom } from './unfinished-bodies.js';

/** Requests that wait for `100 Continue` before they send their body, with the response to send it on. */
const expecting = new WeakMap<IncomingMessage, ServerResponse>();

/** Requests whose body was here at once. */
const whole = new WeakSet<IncomingMessage>();

/** Whether all of a request's body has come. */
export function isWhole(raw: IncomingMessage): boolean {
  return raw.complete || whole.has(raw);
}

/** Sends `100 Continue` only when the service starts to read a body: a caller that is refused before need not send theirs. */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expecting.set(request, response);
    server.emit('request', request, response);
  });
}

/** Whether a caller still waits for `100 Continue`. */
export function expectsContinue(raw: IncomingMessage): boolean {
  return expecting.has(raw);
}

/** How a body is read. */
export interface BodyReading {
  /** The largest size in bytes. */
  readonly most: number;
  /** Called once, before more than `BODY_LIMITS.usual` is read (ruling H5); if it throws, reading ends. */
  readonly beyond: () => Promise<void>;
  /** Where its pieces wait for the rest. */
  readonly room: BodyRoom;
}

/**
 * Reads a body to its end.
 * @throws Refused 413 if the body is larger, 408 if it takes too long, 400 if it breaks off, 503 if too many are unfinished
 */
export async function readBody(raw: IncomingMessage, { most, beyond, room }: BodyReading, time: Time): Promise<Buffer> {
  const length = Number(raw.headers['content-length'] ?? 0);
  if (length > most) throw tooLarge(most);
  if (length > BODY_LIMITS.usual) await beyond();
  sayContinue(raw);
  if (length <= BODY_LIMITS.usual) {
    const body = alreadyHere(raw, length);
    if (body !== undefined) return body;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let isBeyond = length > BODY_LIMITS.usual;
  await new Promise<void>((resolve, reject) => {
    const late = time.after(WAITS.body, () => end(new Refused(408, 'validation_failed', 'the body took too long')));
    const end = (error?: Error): void => {
      time.cancel(late);
      room.end();
      raw.off('data', take).off('end', end).off('error', broken).off('close', broken);
      if (error === undefined) resolve();
      else reject(error);
    };
    const broken = (): void => end(brokenOff());
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > most) {
        end(tooLarge(most));
        return;
      }
      if (!room.take(chunk.length)) {
        end(
          new Refused(503, 'unavailable', 'too many bodies are unfinished: send yours at once', { 'retry-after': '1' }),
        );
        return;
      }
      chunks.push(chunk);
      if (isBeyond || size <= BODY_LIMITS.usual) return;
      isBeyond = true;
      raw.pause();
      beyond().then(() => raw.resume(), end);
    };
    raw
      .on('data', take)
      .once('end', () => end())
      .once('error', broken)
      .once('close', broken);
  });
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
}

/** A body that came together with its head, as most do: nothing must wait for it. */
function alreadyHere(raw: IncomingMessage, length: number): Buffer | undefined {
  if (length === 0 || raw.readableLength !== length) return undefined;
  whole.add(raw);
  const body = raw.read() as Buffer;
  // So that the request ends: Node may not have come to the end of the message yet.
  raw.resume();
  return body;
}

/** A body of any length, read piece by piece. It fails with 408 if the next piece does not come in time. */
export function piecesOf(raw: IncomingMessage, time: Time): Readable {
  sayContinue(raw);
  return Readable.from(inTime(raw, time), { objectMode: false });
}

async function* inTime(raw: IncomingMessage, time: Time): AsyncGenerator<Buffer> {
  const pieces = raw[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  for (;;) {
    let late: Timer | undefined;
    const waited = new Promise<never>((_, reject) => {
      late = time.after(WAITS.piece, () =>
        reject(new Refused(408, 'validation_failed', 'the next piece took too long')),
      );
    });
    try {
      const piece = await Promise.race([pieces.next(), waited]);
      if (piece.done === true) return;
      yield piece.value;
    } finally {
      time.cancel(late);
    }
  }
}

function sayContinue(raw: IncomingMessage): void {
  expecting.get(raw)?.writeContinue();
  expecting.delete(raw);
}

function tooLarge(most: number): Refused {
  return new Refused(413, 'validation_failed', `the body is larger than ${most} bytes`);
}

function brokenOff(): Refused {
  return new Refused(400, 'validation_failed', 'the body broke off');
}
