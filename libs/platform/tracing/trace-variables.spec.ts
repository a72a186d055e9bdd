import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../config.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

describe('the settings of traces', () => {
  it('G9: without a collector there are none, whatever else is set', () => {
    expect(readConfig({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_SERVICE_NAME: 'deals' }).traces).toBeUndefined();
  });

  it.each([
    [ENDPOINT, { sampler: 'parentbased_always_on', ratio: 1 }],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://[::1]/otlp/',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
      },
      { sampler: 'traceidratio', ratio: 0.25 },
    ],
    [
      {
        ...ENDPOINT,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi==, x-team=deals,x-empty=',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production,host.name=a-1',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
      },
      { sampler: 'parentbased_always_on', ratio: 1 },
    ],
  ])('G9: %p', (environment, traces) => {
    expect(readConfig(environment).traces).toEqual(traces);
  });

  it.each([
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      [
        '',
        '127.0.0.1:4318',
        'grpc://127.0.0.1:4317',
        'http://ann:hunter2@a',
        'http://a?key=hunter2',
        'http://a#hunter2',
      ],
    ],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', ['', 'grpc', 'http/json']],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      ['', 'hunter2', '=hunter2', 'a=b,', 'a b=hunter2', 'a=hun ter2', 'a="hunter2"', 'a=hunter2%zz', 'a=b;c'],
    ],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', ['', '0', '60001', '1e3']],
    ['OTEL_SERVICE_NAME', ['', 'x'.repeat(101)]],
    ['OTEL_RESOURCE_ATTRIBUTES', ['', 'hunter2']],
    ['OTEL_TRACES_SAMPLER', ['', 'always', 'jaeger_remote']],
    ['OTEL_TRACES_SAMPLER_ARG', ['', '-1', '1.1', '1%', 'half']],
  ])('G9: a wrong %s stops the start, which says what it should be, without the value', (name, values) => {
    for (const value of values) {
      const start = (): unknown => readConfig({ ...ENDPOINT, [name]: value });
      expect(start).toThrow(`Invalid environment: ${name} must `);
      expect(start).not.toThrow('hunter2');
    }
  });
});
