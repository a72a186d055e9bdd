import { describe, expect, it } from '@jest/globals';
import { OwnStreams } from './own-streams.js';
import type { ServerEvent } from './server.js';

const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'system:test' };

function event(stream: string, but: Partial<ServerEvent> = {}): ServerEvent {
  const place = { revision: 0, position: 1n, id: 'i', created: 0 };
  return { ...place, stream, type: 'happened.v1', data: { units: 1 }, metadata, ...but };
}

const categories = ['deal', 'inventory', 'operatorToken'];

describe('an event of ours', () => {
  it.each(['', 'shop_'])(
    'is in a stream of the prefix %j, a known category, a dash and an id, with our metadata',
    (prefix) => {
      const ours = new OwnStreams(prefix, categories);
      expect(ours.classify(event(`${prefix}deal-1`))).toMatchObject({
        kind: 'ours',
        event: { stream: 'deal-1', metadata },
      });
      expect(ours.classify(event(`${prefix}deal-`)).kind).toBe('theirs');
      expect(ours.classify(event(`${prefix}deal`)).kind).toBe('theirs');
      expect(ours.classify(event(`${prefix}deal-a-b`)).kind).toBe('ours');
      expect(ours.classify(event(`$ce-${prefix}deal`)).kind).toBe('theirs');
      expect(ours.classify(event(`${prefix}deal-1`, { type: '$>' })).kind).toBe('stranger');
      expect(ours.classify(event(`${prefix}deal-1`, { type: '$streamDeleted' })).kind).toBe('deleted');
    },
  );

  it.each([
    ['none', undefined],
    ['null', null],
    ['a text', 'text'],
    ['a number', 7],
    ['a list', [1, 2]],
    ['bytes', new Uint8Array([1, 2])],
    ['others', { $correlationId: 'x' }],
    ['ours without a time', { ...metadata, time: undefined }],
    ['ours with a time that is none', { ...metadata, time: Number.NaN }],
    ['ours with another actor', { ...metadata, actor: null }],
  ])('does not have metadata that is %s', (_, but) => {
    for (const prefix of ['', 'shop_']) {
      expect(new OwnStreams(prefix, categories).classify(event(`${prefix}deal-1`, { metadata: but }))).toEqual({
        kind: 'stranger',
        stream: 'deal-1',
      });
      expect(new OwnStreams(prefix, categories).classify(event(`${prefix}other-1`, { metadata: but })).kind).toBe(
        'theirs',
      );
    }
  });

  it.each([
    ['null', null],
    ['a text', 'text'],
    ['no JSON', undefined],
  ])('does not have data that is %s', (_, data) => {
    expect(new OwnStreams('', categories).classify(event('deal-1', { data })).kind).toBe('stranger');
  });
});

describe('two prefixes of which one begins like the other', () => {
  it.each([
    ['shop_', 'shop_2_'],
    ['', 'b_'],
    ['holdfast_', 'holdfast_test_'],
  ])('%j and %j do not see each other', (one, other) => {
    for (const category of categories) {
      const theirs = event(`${other}${category}-1`);
      expect(new OwnStreams(other, categories).classify(theirs).kind).toBe('ours');
      expect(new OwnStreams(one, categories).classify(theirs).kind).toBe('theirs');
      expect(new OwnStreams(other, categories).classify(event(`${one}${category}-1`)).kind).toBe('theirs');
      expect(new OwnStreams(one, categories).classify(event(`$$${other}${category}-1`)).kind).toBe('system');
    }
  });
});

describe('a category that only a newer build knows, under a prefix that begins like ours', () => {
  it.each([
    ['shop_', 'shop_2_'],
    ['holdfast_', 'holdfast_test_'],
    ['shop', 'shop2'],
  ])('is none of %j if the other is %j', (one, other) => {
    const theirs = event(`${other}newcat-x`);
    expect(new OwnStreams(one, categories).classify(theirs)).toEqual({ kind: 'theirs' });
    expect(new OwnStreams(other, categories).classify(theirs)).toEqual({ kind: 'newer', stream: 'newcat-x' });
  });

  it('cannot be distinguished from ours if only letters are between the two', () => {
    expect(new OwnStreams('shop', categories).classify(event('shopeastnewcat-x')).kind).toBe('newer');
  });
});

describe('the server’s filter', () => {
  it('passes everything with the prefix, so that a newer build’s category is seen', () => {
    const ours = new OwnStreams('shop_', categories);
    expect(ours.watchedPrefixes).toEqual(['shop_', '$$shop_']);
    expect(ours.classify(event('shop_voucher-1'))).toEqual({ kind: 'newer', stream: 'voucher-1' });
    expect(ours.classify(event('shop_voucher-1', { metadata: {} })).kind).toBe('theirs');
  });

  it('passes our categories if there is no prefix', () => {
    expect(new OwnStreams('', ['deal', 'user']).watchedPrefixes).toEqual(['deal-', '$$deal-', 'user-', '$$user-']);
  });

  it('passes the metadata of our streams, and of no others', () => {
    const ours = new OwnStreams('shop_', categories);
    const set = { type: '$metadata', data: { $maxCount: 1 }, metadata: undefined };
    expect(ours.classify(event('$$shop_deal-1', set))).toEqual({
      kind: 'metadata',
      stream: 'deal-1',
      of: { $maxCount: 1 },
    });
    expect(ours.classify(event('$$shop_holdfast', set)).kind).toBe('system');
    expect(ours.classify(event('$$other-1', set)).kind).toBe('system');
  });
});
