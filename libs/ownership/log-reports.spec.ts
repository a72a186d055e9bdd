import { describe, expect, it } from '@jest/globals';
import { findingOf } from '#eventsourcing';
import { LogReports } from './log-reports.js';

const CUT = findingOf('cut', 'Somebody has cut it.', ['$maxCount 1'], 'deal-1');

describe('what the log’s adapter reports', () => {
  it('waits for the guard if it is found before there is one', () => {
    const reports = new LogReports();
    const refused: unknown[] = [];
    reports.broken();
    expect(reports.found(CUT)).toBe(false);
    reports.goTo({ doubt: () => refused.push('doubt'), refuse: (finding) => refused.push(finding) > 0 });
    expect(refused).toEqual([CUT]);
  });

  it('goes to the guard, whose answer says whether it is accepted', () => {
    const reports = new LogReports();
    const doubts: string[] = [];
    reports.goTo({ doubt: () => doubts.push('doubt'), refuse: () => false });
    reports.broken();
    expect([reports.found(CUT), doubts]).toEqual([true, ['doubt']]);
  });
});
