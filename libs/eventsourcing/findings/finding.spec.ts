import { describe, expect, it } from '@jest/globals';
import type { EventLogReader } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { aheadOfLogFinding } from './view-ahead-of-log.js';
import { describeFinding, findingOf, haveViewsGoneBy, mayResolveItself } from './finding.js';
import type { Finding, FindingKind } from '../ports/finding.js';

/** The finding of a view that has seen this event last. */
function ahead(position: bigint, event: string): Finding {
  return aheadOfLogFinding('the view deals', { log: 'a log', position, event }, undefined);
}

describe('a finding', () => {
  it('has a code made from exactly what was found and its stream', () => {
    const codes = [
      findingOf('gap', 'words', [0, 3], 'deal-a'),
      findingOf('gap', 'words', [0, 4], 'deal-a'),
      findingOf('gap', 'words', [0, 3], 'deal-b'),
      findingOf('gap', 'words', [0n, 3], 'deal-a'),
    ].map(({ code }) => code);
    expect(new Set(codes).size).toBe(4);
    expect(findingOf('gap', 'other words', [0, 3], 'deal-a').code).toBe(codes[0]);
  });

  it('is shown with the code that accepts it', () => {
    const finding = findingOf('stranger', 'It is not ours.', [7n]);
    expect(describeFinding(finding)).toBe(
      `It is not ours. Accepting it means that Holdfast ignores it. To continue anyway, start again with ACCEPT=${finding.code}.`,
    );
  });

  it.each(['lease', 'clock', 'unreadable', 'key store', 'accepted elsewhere', 'too many', 'unknown stream'] as const)(
    'is shown without a code if it cannot be accepted: %s',
    (kind) => {
      expect(describeFinding(findingOf(kind, 'Set it right.', []))).toBe('Set it right.');
    },
  );

  it('has a message of bounded length, however long others’ names are', () => {
    expect(findingOf('stranger', 'x'.repeat(1_000_000), []).words).toHaveLength(2_001);
  });

  it.each<[boolean, readonly FindingKind[]]>([
    [false, []],
    [true, ['mark']],
    [true, ['empty']],
    [true, ['accepted elsewhere', 'mark']],
    [true, ['mark', 'view']],
    [false, ['view']],
    [false, ['mark', 'key store']],
    [false, ['keys behind']],
    [false, ['lease']],
    [false, ['mark', 'clock']],
  ])('may resolve itself: %j, for findings of the whole log of the kinds %j', (goes, kinds) => {
    const found = kinds.map((kind) => findingOf(kind, 'words', []));
    expect(mayResolveItself([...found, findingOf('gap', 'words', [1, 2], 'deal-a')])).toBe(goes);
  });

  // A view reported an older copy; when that report was taken, the right log was back (seed 160048 of the simulator).
  it.each<[boolean, string, readonly Finding[]]>([
    [true, 'every view', [ahead(7n, 'seven'), ahead(9n, 'nine')]],
    [
      true,
      'the views, beside a finding of a stream',
      [ahead(7n, 'seven'), findingOf('gap', 'words', [1, 2], 'deal-a')],
    ],
    [false, 'one of two views', [ahead(7n, 'seven'), ahead(8n, 'eight')]],
    [false, 'a view whose event is another one there', [ahead(7n, 'other')]],
    [false, 'the views, but not what else was found', [ahead(7n, 'seven'), findingOf('clock', 'words', [])]],
    [false, 'nothing', []],
  ])('has gone by: %j, if the log now has what was seen by %s', async (gone, _, findings) => {
    const events: Record<string, string> = { 7: 'seven', 9: 'nine' };
    const log: Pick<EventLogReader, 'eventAt'> = {
      eventAt: (position) => Promise.resolve({ id: events[position.toString()] } as Recorded),
    };
    await expect(haveViewsGoneBy(findings, log)).resolves.toBe(gone);
  });
});
