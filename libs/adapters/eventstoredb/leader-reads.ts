import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { status } from '@grpc/grpc-js';
import { type Page, PAGE_BYTES, pageOf, type Time, type Timer } from '#eventsourcing/ports';
import { isAnswer } from './answers.js';
import { type Leader, NoLeader } from './leader.js';
import { eventOf } from './messages.js';
import type { ServerEvent } from './server.js';
import type { ServerNode } from './server-node.js';

/** A node that does not answer within this time, in milliseconds, is given up. */
const BEAT_WITHIN = 2_500;

/** The result of a read. */
export interface Events {
  readonly events: Page<ServerEvent>;
  /** The stream does not exist. */
  readonly missing: boolean;
}

/** Reads from the leader. Each read has a deadline and waits through an election. */
export class LeaderReads {
  readonly #verifying = new Map<ServerNode, Promise<void>>();

  constructor(
    private readonly leader: Leader,
    private readonly time: Time,
  ) {}

  /** Asks the leader, and asks again if another node leads by then. */
  async read(request: ReadReq, within: number): Promise<Events> {
    const { time } = this;
    const until = time.monotonic() + within;
    for (let tries = 1; ; tries += 1) {
      const node = await this.#leaderBy(until);
      try {
        return await collect(node, request, Math.max(1, until - time.monotonic()));
      } catch (error) {
        if (isAnswer(error)) throw error;
        // A large read may take long, so a short question tests the node.
        if ((error as { code?: unknown }).code === status.DEADLINE_EXCEEDED) void this.verify(node);
        else this.leader.lost(node, error);
        if (tries > 1 || time.monotonic() >= until) throw error;
      }
    }
  }

  /** Gives up a node that does not answer as the leader. Never rejects. */
  verify(node: ServerNode): Promise<void> {
    let verifying = this.#verifying.get(node);
    if (verifying === undefined) {
      verifying = node
        .lead(BEAT_WITHIN)
        .catch((error: unknown) => this.leader.lost(node, error))
        .finally(() => this.#verifying.delete(node));
      this.#verifying.set(node, verifying);
    }
    return verifying;
  }

  /** Waits for an election, if there is one. */
  async #leaderBy(until: number): Promise<ServerNode> {
    for (let none: NoLeader | undefined; ;) {
      try {
        return await inTime(this.leader.node(), until - this.time.monotonic(), this.time);
      } catch (error) {
        if (!(error instanceof NoLeader)) throw none ?? error;
        none = error;
      }
    }
  }
}

/**
 * Reads from a node, over its connection.
 * @param within milliseconds
 */
export function collect(node: ServerNode, request: ReadReq, within: number): Promise<Events> {
  return new Promise((resolve, reject) => {
    const events: ServerEvent[] = [];
    let [missing, bytes] = [false, 0];
    const read = node.read(request, within);
    const cancel = (): void => read.cancel();
    const done = (more: boolean): void => {
      node.ending.removeEventListener('abort', cancel);
      resolve({ events: pageOf(events, more), missing });
    };
    node.ending.addEventListener('abort', cancel, { once: true });
    read
      .on('data', (answer: ReadResp) => {
        missing ||= answer.hasStreamNotFound();
        const event = eventOf(answer);
        if (event === undefined || bytes >= PAGE_BYTES) return;
        events.push(event);
        bytes += event.bytes ?? 0;
        if (bytes < PAGE_BYTES) return;
        done(true);
        cancel();
      })
      .on('error', (error) => {
        node.ending.removeEventListener('abort', cancel);
        reject(error);
      })
      .on('end', () => done(false));
  });
}

async function inTime<T>(promise: Promise<T>, milliseconds: number, time: Time): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = time.after(milliseconds, () => reject(new Error('no node of the event log answers')));
  });
  return Promise.race([promise, late]).finally(() => time.cancel(timer));
}
