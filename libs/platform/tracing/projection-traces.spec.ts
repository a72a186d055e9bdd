import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FedBatch, SpanContext } from '#eventsourcing';
import { NotedSpans } from '../../../test/support/noted-spans.js';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { ProjectionTraces } from './projection-traces.js';

const span = (number: number): SpanContext => ({
  traceId: number.toString(16).padStart(32, '0'),
  spanId: number.toString(16).padStart(16, '0'),
  sampled: true,
});
const batch = (after: number, upTo: number): FedBatch => ({
  after: BigInt(after),
  upTo: BigInt(upTo),
  events: upTo - after,
  views: 2,
  took: 5,
});

describe('G9: the traces of projections', () => {
  let time: VirtualTime;
  let spans: NotedSpans;
  let traces: ProjectionTraces;
  beforeEach(() => {
    time = new VirtualTime();
    spans = new NotedSpans();
    traces = new ProjectionTraces(spans, time);
  });

  it('a batch has links to the appends in it, also to one whose answer came after the batch', async () => {
    for (const position of [3, 5, 8]) traces.appended(BigInt(position), span(position));
    const ended = time.wall();
    traces.fed(batch(3, 7));
    traces.appended(7n, span(7));
    expect(spans.all).toEqual([]);
    await time.pass(200);
    traces.fed(batch(7, 8));
    await time.pass(200);
    const [first, second] = spans.all;
    expect(first).toMatchObject({
      name: 'projection',
      links: [span(5), span(7)],
      set: {
        'holdfast.events': 4,
        'holdfast.views': 2,
        'holdfast.appends': 2,
        'holdfast.position.after': 3,
        'holdfast.position': 7,
      },
      began: ended - 5,
      ended: { failure: undefined, at: ended },
    });
    expect(second?.links).toEqual([span(8)]);
  });

  it('names 128 appends, and counts all', async () => {
    for (let position = 1; position <= 200; position += 1) traces.appended(BigInt(position), span(position));
    traces.fed(batch(0, 200));
    await time.pass(200);
    expect([spans.all[0]?.links?.length, spans.all[0]?.set['holdfast.appends']]).toEqual([128, 200]);
  });

  it('remembers the last appends alone while no batch comes', async () => {
    for (let position = 1; position <= 30_000; position += 1) traces.appended(BigInt(position), span(position));
    traces.fed(batch(0, 30_000));
    await time.pass(200);
    expect(spans.all[0]?.set['holdfast.appends']).toBeLessThan(20_000);
    expect(spans.all[0]?.set['holdfast.appends']).toBeGreaterThanOrEqual(10_000);
  });

  it('shows at its end what still waits, once', async () => {
    traces.fed(batch(0, 1));
    traces.close();
    await time.pass(1_000);
    expect(spans.all).toHaveLength(1);
  });
});
