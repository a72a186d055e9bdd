import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type Append, NO_STREAM } from '#eventsourcing';
import { AppendQueue } from './append-queue.js';
import { type Flat, STREAM, EVENT_FIELDS } from './batch.js';

/** Three of them fill a batch. */
const LARGE = 'x'.repeat(400_000);

const actors: Readonly<Record<string, string>> = {
  a: 'partner:A/key:1',
  A: 'partner:A/token:2',
  b: 'partner:B/key:1',
  c: 'partner:C/key:1',
};

/** The append of a name: its first letter says whose it is, and `!` that it is large. */
function append(name: string): Append {
  const actor = actors[name.charAt(0)] ?? 'system:test';
  const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor };
  const data = name.endsWith('!') ? { text: LARGE } : {};
  return { stream: name, expected: NO_STREAM, events: [{ id: 'id', type: 'happened.v1', data, metadata }] };
}

/** Adds lists while the writer is busy. @returns the streams of each batch that follows */
async function batchesOf(lists: readonly string[]): Promise<readonly string[]> {
  const batches: string[] = [];
  const queue = new AppendQueue(({ rows }: Flat) => {
    const streams = rows.filter((_, at) => at % EVENT_FIELDS === STREAM);
    batches.push(streams.join(' '));
  });
  const answers: Promise<unknown>[] = [];
  const add = (list: string): void => {
    const [decision, ...followers] = list.split('+').map(append);
    answers.push(
      new Promise((resolve, reject) => {
        if (decision !== undefined) queue.add([decision, ...followers], resolve, reject);
      }),
    );
  };
  add('busy');
  await turn();
  lists.forEach(add);
  for (let sent = 0; sent < batches.length;) {
    sent += 1;
    expect(batches).toHaveLength(sent);
    queue.written(100);
    await turn();
  }
  await Promise.all(answers);
  return batches.slice(1);
}

describe('I16: writers take turns when more waits than a batch holds', () => {
  it.each([
    ['all that fits is one batch, in order', ['a1', 'b1', 'a2', 'c1'], ['a1 b1 a2 c1']],
    [
      'the first list of a writer joins a full batch',
      ['a1!', 'a2!', 'a3!', 'a4!', 'a5!', 'b1', 'c1!'],
      ['a1! a2! a3! b1 c1!', 'a4! a5!'],
    ],
    [
      'the others of theirs wait for their turn',
      ['a1!', 'a2!', 'a3!', 'a4!', 'a5!', 'a6!', 'a7!', 'b1!', 'b2!', 'b3!', 'b4!'],
      ['a1! a2! a3! b1!', 'a4! b2! a5!', 'b3! a6! b4!', 'a7!'],
    ],
    [
      'all credentials of a partner are one writer',
      ['a1!', 'a2!', 'a3!', 'A4', 'a5', 'b1'],
      ['a1! a2! a3! b1', 'A4 a5'],
    ],
    ['a list stays whole', ['a1!', 'a2!+a3!+a4!', 'a5!+a6', 'b1!+b2'], ['a1! a2! a3! a4! b1! b2', 'a5! a6']],
    [
      'a batch that is full twice takes no more',
      ['a1!', 'a2!', 'a3!', 'b1!+b2!', 'c1!', 's1'],
      ['a1! a2! a3! b1! b2! c1!', 's1'],
    ],
  ])('%s', async (_, lists, batches) => {
    expect(await batchesOf(lists)).toEqual(batches);
  });

  it('a full batch of many writers leaves what waits in order', async () => {
    const lists = Array.from({ length: 40 }, (_, index) => `${'abc'.charAt(index % 3)}${index}!`);
    const written = (await batchesOf(lists)).join(' ').split(' ');
    expect(written.toSorted()).toEqual(lists.toSorted());
    for (const writer of 'abc') {
      const own = (names: readonly string[]): readonly string[] => names.filter((name) => name.startsWith(writer));
      expect(own(written)).toEqual(own(lists));
    }
  });
});
