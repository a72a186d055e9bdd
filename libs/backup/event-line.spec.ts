import { describe, expect, it } from '@jest/globals';
import { columnsIn, type EventColumns, eventLine, lineOf } from './event-line.js';

const columns = (more: Partial<EventColumns> = {}): EventColumns => ({
  position: 12_345_678_901_234_567n,
  stream: 'deal-a',
  revision: 3,
  id: 'id',
  type: 'deal-changed.v1',
  time: 1_800_000_000_000,
  command_id: 'c',
  correlation: 'r',
  causation: null,
  actor: 'operator:first',
  data: '{"a":1.50,"b":"\\u00e9"}',
  ...more,
});

describe('G12.2: the line of an event', () => {
  it('has its data byte for byte, whatever the columns hold', () => {
    for (const each of [
      columns(),
      columns({ actor: '","data":{"x":1}' }),
      columns({ stream: 'a\\",\\"data\\":', causation: 'deal-a@2' }),
      columns({ data: '{"data":{"data":"}"}}' }),
    ]) {
      const { text, position, id, time } = eventLine(each);
      expect(text).not.toContain('\n');
      expect(columnsIn(text)).toEqual(each);
      expect({ position, id, time }).toEqual({ position: each.position, id: each.id, time: each.time });
      expect(JSON.parse(text).data).toEqual(JSON.parse(each.data));
    }
  });

  it('is the same for an event that a log has read', () => {
    const { position, stream, revision, id, type, data, ...metadata } = columns({ data: '{"a":1.5,"b":"é"}' });
    const recorded = { position, stream, revision, id, type, data: JSON.parse(data) as object, metadata };
    expect(lineOf(recorded).text).toBe(eventLine(columns({ data })).text);
  });

  it.each(['', '{}', '{"position":"1"}', '{"position":"x","data":{}}', 'no JSON,"data":{}}'])('%j is none', (text) => {
    expect(columnsIn(text)).toBeUndefined();
  });
});
