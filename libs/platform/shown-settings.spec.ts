import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { shownSettings } from './shown-settings.js';
import { VARIABLE_NAMES } from './variables.js';

describe('G13.6: the settings that operators see', () => {
  it('are all there are, each once, with words', () => {
    const shown = shownSettings({});
    expect(shown.map(({ name }) => name).toSorted()).toEqual(VARIABLE_NAMES.toSorted());
    for (const { name, means, from, value } of shown)
      expect([name, from, means.length > 10, (value ?? '').length > 0]).toEqual([name, 'default', true, true]);
  });

  it('have the defaults of .env.example', () => {
    const values = new Map(shownSettings({}).map(({ name, value }) => [name, value]));
    const lines = readFileSync('.env.example', 'utf8').matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm);
    for (const [, name = '', value] of lines) expect([name, values.get(name)]).toEqual([name, value]);
  });

  it('come from the environment if they are set there, and no secret, path or person is in one', () => {
    const environment = {
      PORT: '8080',
      MASTER_KEY: 'hunter2'.repeat(9),
      SMTP_URL: 'smtps://ann:hunter2@mail.example',
      MONGODB_URL: 'mongodb://hunter2@with@two/x',
      MAIL_FROM: 'Ann Hunter2 <hunter2@example.com>',
      DATA_DIR: '/home/hunter2/data',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=hunter2',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/receiver/hunter2',
    };
    const shown = shownSettings(environment).filter(({ from }) => from === 'environment');
    expect(JSON.stringify(shown)).not.toMatch(/hunter2/i);
    expect(Object.fromEntries(shown.map(({ name, value }) => [name, value]))).toEqual({
      PORT: '8080',
      DATA_DIR: null,
      MASTER_KEY: null,
      MONGODB_URL: null,
      SMTP_URL: 'smtps://mail.example',
      MAIL_FROM: null,
      OTEL_EXPORTER_OTLP_HEADERS: null,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example',
    });
  });
});
