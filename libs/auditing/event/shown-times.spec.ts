import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { NAME_OF_INSTANT, withShownTimes } from './shown-times.js';

describe('B1 G7: the instants in an event’s data', () => {
  it('are shown as ISO 8601, at every depth; other numbers and a partner’s own data stay', () => {
    const deadline = Date.UTC(2026, 10, 26, 20, 15);
    expect(
      withShownTimes({
        deadline,
        quantity: 2,
        sale: { created_at: deadline + 250, expires_at: null },
        days: [deadline, { until: deadline }],
        custom_data: { seen_at: deadline },
      }),
    ).toEqual({
      deadline: '2026-11-26T20:15:00Z',
      quantity: 2,
      sale: { created_at: '2026-11-26T20:15:00.250Z', expires_at: null },
      days: [deadline, { until: '2026-11-26T20:15:00Z' }],
      custom_data: { seen_at: deadline },
    });
  });

  it('are recognized by their names, as the types of events declare them', () => {
    const files = globSync(['libs/**/*.events.ts', 'libs/catalogue/deal/deal.attributes.ts']);
    const fields = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/readonly (\w+)\??: ([\w| ]+);/g)].map(([, name = '', type = '']) => ({
        name,
        type,
      })),
    );
    const instants = fields.filter(({ type }) => /\bInstant\b/.test(type));
    expect(instants.length).toBeGreaterThan(20);
    expect(instants.filter(({ name }) => !NAME_OF_INSTANT.test(name))).toEqual([]);
    expect(fields.filter(({ name, type }) => NAME_OF_INSTANT.test(name) && /\bnumber\b/.test(type))).toEqual([]);
  });
});
