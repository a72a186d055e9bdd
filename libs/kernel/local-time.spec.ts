import { describe, expect, it } from '@jest/globals';
import { instantAt } from './local-time.js';

const NEW_YORK = 'America/New_York';

describe('I7: a local time', () => {
  it.each([
    ['2028-06-30T23:59:59', NEW_YORK, '2028-07-01T03:59:59.000Z'],
    ['2028-12-31T23:59:59', NEW_YORK, '2029-01-01T04:59:59.000Z'],
    ['2028-06-30T12:00', NEW_YORK, '2028-06-30T16:00:00.000Z'],
    ['2028-06-30T12:00:00.25', NEW_YORK, '2028-06-30T16:00:00.250Z'],
    // Clocks go forward at 02:00 on 12 March 2028, and back at 02:00 on 5 November.
    ['2028-03-12T01:59:59', NEW_YORK, '2028-03-12T06:59:59.000Z'],
    ['2028-03-12T03:00:00', NEW_YORK, '2028-03-12T07:00:00.000Z'],
    ['2028-11-05T00:59:59', NEW_YORK, '2028-11-05T04:59:59.000Z'],
    ['2028-11-05T02:00:00', NEW_YORK, '2028-11-05T07:00:00.000Z'],
    ['2028-06-30T23:59:59', 'Asia/Kathmandu', '2028-06-30T18:14:59.000Z'],
    ['2028-01-01T00:00:00', 'Australia/Lord_Howe', '2027-12-31T13:00:00.000Z'],
    ['2028-07-01T00:00:00', 'Australia/Lord_Howe', '2028-06-30T13:30:00.000Z'],
    ['2028-06-30T23:59:59', 'UTC', '2028-06-30T23:59:59.000Z'],
    ['1850-01-01T00:00:00', NEW_YORK, '1850-01-01T04:56:02.000Z'],
  ])('%s in %s is %s', (local, zone, utc) => {
    const instant = instantAt(local, zone);
    expect(typeof instant === 'number' ? new Date(instant).toISOString() : instant).toBe(utc);
  });

  it.each([
    ['2028-03-12T02:30:00', NEW_YORK, 'is no time in America/New_York: clocks go forward over it'],
    [
      '2028-11-05T01:30:00',
      NEW_YORK,
      'is twice in America/New_York, when clocks go back: send 2028-11-05T01:30:00-04:00 or 2028-11-05T01:30:00-05:00',
    ],
    // A whole day that Samoa left out.
    ['2011-12-30T12:00:00', 'Pacific/Apia', 'is no time in Pacific/Apia: clocks go forward over it'],
  ])('%s in %s is refused', (local, zone, words) => {
    expect(instantAt(local, zone)).toBe(words);
  });
});
