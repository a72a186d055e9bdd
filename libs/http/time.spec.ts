import { describe, expect, it } from '@jest/globals';
import { utcTime } from '#kernel';
import { localTime, unixDateTime, readableTime } from './time.js';

const at = (iso: string): number => Date.parse(iso);

describe('B1: times as they are answered', () => {
  it.each([
    ['2011-12-16T19:11:15.999Z', 'Fri Dec 16 19:11:15 UTC 2011'],
    ['2024-02-29T00:00:00Z', 'Thu Feb 29 00:00:00 UTC 2024'],
    ['2027-01-03T09:05:07Z', 'Sun Jan 03 09:05:07 UTC 2027'],
    ['1999-12-31T23:59:59Z', 'Fri Dec 31 23:59:59 UTC 1999'],
  ])('%s is spoken %s', (given, spoken) => {
    expect(unixDateTime(at(given))).toBe(spoken);
  });

  it('UTC has whole seconds', () => {
    expect(utcTime(at('2013-10-25T06:59:59.999Z'))).toBe('2013-10-25T06:59:59Z');
  });

  it.each([
    ['2013-12-18T07:59:59Z', 'America/Los_Angeles', '2013-12-17T23:59:59-08:00'],
    ['2013-07-01T06:59:59Z', 'America/Los_Angeles', '2013-06-30T23:59:59-07:00'],
    // The hour that happens twice when summer time ends: the offset distinguishes them.
    ['2013-11-03T08:30:00Z', 'America/Los_Angeles', '2013-11-03T01:30:00-07:00'],
    ['2013-11-03T09:30:00Z', 'America/Los_Angeles', '2013-11-03T01:30:00-08:00'],
    // The hour that is skipped when summer time begins.
    ['2013-03-10T09:59:59Z', 'America/Los_Angeles', '2013-03-10T01:59:59-08:00'],
    ['2013-03-10T10:00:00Z', 'America/Los_Angeles', '2013-03-10T03:00:00-07:00'],
    ['2013-12-17T18:30:00Z', 'Asia/Kolkata', '2013-12-18T00:00:00+05:30'],
    ['2013-12-17T23:59:59Z', 'UTC', '2013-12-17T23:59:59+00:00'],
  ])('%s in %s is %s', (given, zone, local) => {
    expect(localTime(at(given), zone)).toBe(local);
  });
});

describe('B7: times as people read them', () => {
  it.each([
    ['2013-12-18T07:59:59Z', 'America/Los_Angeles', '17 December 2013, 23:59 PST'],
    ['2013-11-03T08:30:00Z', 'America/Los_Angeles', '3 November 2013, 01:30 PDT'],
    ['2013-11-03T09:30:00Z', 'America/Los_Angeles', '3 November 2013, 01:30 PST'],
    ['2013-12-17T18:30:00Z', 'Asia/Kolkata', '18 December 2013, 00:00 GMT+5:30'],
    ['2013-12-17T23:59:59Z', 'UTC', '17 December 2013, 23:59 UTC'],
  ])('%s in %s is %s', (given, zone, written) => {
    expect(readableTime(at(given), zone)).toBe(written);
  });
});
