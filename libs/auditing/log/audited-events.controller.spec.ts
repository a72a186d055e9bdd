import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { Call } from '#http';
import type { Recorded } from '#kernel';
import { LOG_READS } from '#kernel/bounds';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { AuditedEventsController } from './audited-events.controller.js';
import type { ReadEvents } from '../event/batch-read.js';
import type { PartOfLog } from './part-of-log.js';

const EVENT: Recorded = {
  ...{ position: 7n, stream: 'deal-1', revision: 0, id: 'e', type: 'deal-moved.v1', data: {} },
  metadata: { time: 0, actor: 'system:test', causation: null, command_id: 'c', correlation: 'r' },
};
const NONE: ReadEvents = { read: [], events: [] };
const NOTHING_FITS: ReadEvents = { read: [EVENT], events: [] };

describe('G7.3: reading the log', () => {
  const time = new VirtualTime();
  const controllerOf = (read: PartOfLog['read']): AuditedEventsController =>
    new AuditedEventsController(time, { execute: async () => ({ until: 9n, read }) } as unknown as QueryBus);
  const call = { parameters: {} } as Call;
  const replyOf = (raw = new EventEmitter()): FastifyReply =>
    ({ raw, type: () => undefined, request: {} }) as unknown as FastifyReply;

  it('is for a few at a time; whoever has ended makes room', async () => {
    const controller = controllerOf(async function* () {
      yield NONE;
    });
    const answers = Array.from({ length: LOG_READS.atOnce }, () => new EventEmitter());
    for (const raw of answers) await controller.log(call, replyOf(raw));
    await expect(controller.log(call, replyOf())).rejects.toThrow('others read the log now');
    answers[0]?.emit('close');
    // Whoever left before their turn takes no place.
    await controller.log(call, replyOf(Object.assign(new EventEmitter(), { destroyed: true })));
    await expect(controller.log(call, replyOf())).resolves.toBeDefined();
  });

  it('is broken off if its reader takes nothing more for five minutes', async () => {
    const controller = controllerOf(async function* () {
      for (;;) yield { read: [EVENT], events: [EVENT] };
    });
    let isBroken = false;
    const raw = Object.assign(new EventEmitter(), { destroy: () => (isBroken = true) });
    const lines = (await controller.log(call, replyOf(raw)))[Symbol.asyncIterator]();
    for (let line = 0; line < 50; line += 1) {
      await lines.next();
      await time.pass(LOG_READS.patience / 3);
    }
    expect(isBroken).toBe(false);
    await time.pass(LOG_READS.patience);
    expect(isBroken).toBe(true);
  });

  it('tells how far it is while no event fits, and that it has ended', async () => {
    const controller = controllerOf(async function* () {
      yield NOTHING_FITS;
      await time.pass(2_000);
      yield NOTHING_FITS;
    });
    const lines = await (await controller.log(call, replyOf())).toArray();
    expect(lines.map((line: string) => JSON.parse(line))).toEqual([
      { progress: { position: '7', events: 0, read: 2 } },
      { end: { position: '9', events: 0, read: 2 } },
    ]);
  });

  it('says nothing about its end if the caller has left, or if it breaks off', async () => {
    const raw = new EventEmitter();
    const left = controllerOf(async function* () {
      raw.emit('close');
      yield NONE;
    });
    expect(await (await left.log(call, replyOf(raw))).toArray()).toEqual([]);
    const broken = controllerOf(async function* () {
      yield NONE;
      throw new Error('broken');
    });
    await expect((await broken.log(call, replyOf())).toArray()).rejects.toThrow('broken');
  });
});
