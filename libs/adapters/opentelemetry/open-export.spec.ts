import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import type { Span } from '#eventsourcing';
import { Collector } from '../../../test/support/collector.js';
import { openExport } from './open-export.js';

const SECRET = 'canary-of-the-collector';

describe('G9: the export of traces', () => {
  let collector: Collector;
  let opened: ReturnType<typeof openExport>;
  let troubles: [reason: string | undefined, dropped: number][];

  beforeEach(async () => {
    collector = await Collector.start();
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.url;
    // A repeat would come after a second.
    process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '300';
    troubles = [];
  });
  afterEach(async () => {
    await opened.close();
    await collector.stop();
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    delete process.env['OTEL_EXPORTER_OTLP_TIMEOUT'];
  });

  const open = (sampling: Partial<Parameters<typeof openExport>[0]> = {}, most?: number): void => {
    opened = openExport(
      {
        sampler: 'parentbased_always_on',
        ratio: 1,
        version: '1',
        role: 'all',
        machine: thisMachine,
        trouble: (reason, dropped) => troubles.push([reason, dropped]),
        ...sampling,
      },
      most,
    );
  };
  const ended = (name: string): Span => {
    const span = opened.tracer.start(name);
    span.end();
    return span;
  };
  const untilTrouble = async (count: number): Promise<void> => {
    while (troubles.length < count) await pause(10);
  };

  it('sends a span with its parent, its links, its attributes and its failure', async () => {
    open();
    const parent = opened.tracer.start('parent', { kind: 'client' });
    const span = opened.tracer.start('child', {
      parent: parent.context,
      links: [{ traceId: '1'.repeat(32), spanId: '2'.repeat(16), sampled: true }],
      attributes: { text: 'x', count: 3, is: true },
      began: 1_800_000_000_000,
    });
    span.set('more', 4);
    span.link({ traceId: '3'.repeat(32), spanId: '4'.repeat(16), sampled: true });
    span.end('Unavailable', 1_800_000_002_000);
    parent.end();
    await opened.close();
    expect(collector.spans).toContainEqual({
      ...parent.context,
      sampled: undefined,
      spanId: span.context.spanId,
      parentId: parent.context.spanId,
      name: 'child',
      kind: 1,
      attributes: { text: 'x', count: 3, is: true, more: 4, 'error.type': 'Unavailable' },
      links: [
        { traceId: '1'.repeat(32), spanId: '2'.repeat(16) },
        { traceId: '3'.repeat(32), spanId: '4'.repeat(16) },
      ],
      status: 2,
      began: 1_800_000_000_000_000_000n,
      ended: 1_800_000_002_000_000_000n,
      resource: {
        'service.name': 'holdfast',
        'service.version': '1',
        'process.pid': process.pid,
        'holdfast.role': 'all',
      },
    });
    expect(troubles).toEqual([]);
  });

  it.each([
    ['always_off', 1, undefined, false],
    ['parentbased_always_off', 1, true, true],
    ['parentbased_always_on', 1, false, false],
    ['always_on', 1, false, true],
    ['parentbased_traceidratio', 0, undefined, false],
    ['traceidratio', 0, true, false],
  ] as const)(
    'records with the sampler %s (%d) and a caller who records (%s): %s',
    (sampler, ratio, callers, sampled) => {
      open({ sampler, ratio });
      const parent =
        callers === undefined
          ? undefined
          : { traceId: '1'.repeat(32), spanId: '2'.repeat(16), sampled: callers, remote: true as const };
      expect(opened.tracer.start('span', { parent }).context.sampled).toBe(sampled);
    },
  );

  it('says once that the collector is away, counts what is lost, and goes on', async () => {
    open();
    const { url } = collector;
    await collector.stop();
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = url;
    for (let count = 0; count < 1_100; count += 1) ended('lost');
    await untilTrouble(1);
    for (let count = 0; count < 1_100; count += 1) ended('lost');
    await opened.close();
    expect(troubles).toEqual([['the collector does not answer: ECONNREFUSED', 1_024]]);
  });

  it.each([
    ['refuses', (response: ServerResponse) => response.writeHead(400).end(SECRET), 'the collector answers 400', 1],
    [
      'takes them in nonsense words',
      (response: ServerResponse) => response.end(SECRET),
      'the collector answers something else than that it took all of them',
      0,
    ],
    // An ExportTraceServiceResponse with partial_success: one span was refused, and why.
    [
      'takes a part of them',
      (response: ServerResponse) =>
        response.end(Buffer.from([10, 4 + SECRET.length, 8, 1, 18, SECRET.length, ...Buffer.from(SECRET)])),
      'the collector answers something else than that it took all of them',
      0,
    ],
  ])('says once that a collector %s, and nothing that it said', async (_, answer, reason, dropped) => {
    collector.answer = answer;
    open();
    ended('first');
    await untilTrouble(1);
    ended('second');
    await opened.close();
    expect(troubles).toEqual([[reason, dropped]]);
  });

  it('drops and counts spans while the collector is too slow, and a stop waits for it no longer than its bound', async () => {
    collector.answer = () => undefined;
    open({}, 10);
    for (let count = 0; count < 30; count += 1) ended('slow');
    expect(troubles).toEqual([['10 spans wait: the collector is too slow', 1]]);
    await opened.close();
    expect(collector.spans.length).toBeLessThanOrEqual(20);
  });
});
