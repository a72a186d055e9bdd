import type { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Unavailable } from '#eventsourcing';
import { LiveValues } from './live.js';

const mayRead = (): Promise<boolean> => Promise.resolve(true);

/** How many of so many readers were let in, each of another session. */
function openAll(live: LiveValues, count: number): readonly Readable[] {
  return Array.from({ length: count }, (_, nth) => {
    try {
      return live.open(`session ${nth}`, mayRead);
    } catch (error) {
      expect(error).toBeInstanceOf(Unavailable);
      return undefined;
    }
  }).filter((each) => each !== undefined);
}

describe('G13.5: the streams of live values', () => {
  it('are 256 at most, whoever asks: of a thousand, the others are refused', async () => {
    let made = 0;
    const values = (): Promise<object> => Promise.resolve({ made: (made += 1) });
    const live = new LiveValues(values, thisMachine.time);
    const streams = openAll(live, 1_000);
    expect(streams).toHaveLength(256);
    const texts = await Promise.all(streams.map(firstValue));
    expect(new Set(texts)).toEqual(new Set(['data: {"made":1}\n\n']));
    streams[0]?.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(openAll(live, 2)).toHaveLength(1);
    live.close();
  });

  it('are six at most of one session', () => {
    const live = new LiveValues(() => Promise.resolve({}), thisMachine.time);
    for (let count = 0; count < 6; count += 1) live.open('ann', mayRead);
    expect(() => live.open('ann', mayRead)).toThrow('a session has at most 6 open consoles');
    expect(() => live.open('bob', mayRead)).not.toThrow();
    live.close();
    expect(() => live.open('eve', mayRead)).toThrow(Unavailable);
  });
});

/** The first value that a reader gets. */
async function firstValue(stream: Readable): Promise<string> {
  for await (const bytes of stream.iterator({ destroyOnReturn: false })) {
    const text = String(bytes);
    if (text.startsWith('data: ')) return text;
    if (text.includes('data: ')) return text.slice(text.indexOf('data: '));
  }
  throw new Error('it ended');
}
