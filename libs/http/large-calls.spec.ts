import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { LARGE_CALLS, PATIENCE } from '#kernel/bounds';
import { VirtualTime } from '../../test/support/virtual-time.js';
import { LargeCalls } from './large-calls.js';

class Answer extends EventEmitter {
  destroyed = false;
}

/** Calls of partners, in the order in which they get their turns. */
function calls() {
  const time = new VirtualTime();
  const large = new LargeCalls(time);
  const log: string[] = [];
  const call = (name: string): Answer => {
    const answer = new Answer();
    large.turn(name.charAt(0), answer as never).then(
      () => log.push(name),
      (error: unknown) => log.push(`${name}: ${(error as Error).message}`),
    );
    return answer;
  };
  return { time, log, call };
}

describe('I16: few large calls of one partner run at a time', () => {
  it('the others wait in order; another partner does not wait for them', async () => {
    const { time, log, call } = calls();
    const [a1] = ['a1', 'a2', 'a3', 'a4', 'b1'].map(call);
    await time.pass(0);
    expect(log.splice(0)).toEqual(['a1', 'a2', 'b1']);
    a1?.emit('finish');
    a1?.emit('close');
    await time.pass(0);
    expect(log.splice(0)).toEqual(['a3']);
  });

  it('a caller who has left takes no turn', async () => {
    const { time, log, call } = calls();
    const [a1, , a3] = ['a1', 'a2', 'a3', 'a4'].map(call);
    a3?.emit('close');
    a1?.emit('close');
    await time.pass(0);
    expect(log).toEqual(['a1', 'a2', 'a3: its caller has left', 'a4']);
  });

  it('nobody waits longer than a call may, and so many wait', async () => {
    const { time, log, call } = calls();
    for (let n = 0; n < LARGE_CALLS.atOnce + LARGE_CALLS.waiting + 1; n += 1) call(`a${n}`);
    await time.pass(0);
    expect(log.splice(0)).toEqual(['a0', 'a1', expect.stringContaining('too many large calls of yours wait')]);
    await time.pass(PATIENCE.call);
    expect(log).toHaveLength(LARGE_CALLS.waiting);
    expect(log[0]).toBe('a2: other large calls of yours took too long');
  });
});
