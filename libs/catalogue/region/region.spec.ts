import { describe, expect, it } from '@jest/globals';
import { given, rowsOf } from '../../../test/support/given-when-then.js';
import { region } from './region.decider.js';
import type { Region, RegionEvent } from './region.events.js';
import { regionsView } from './region.view.js';

const boston: Region = {
  id: 'boston',
  name: 'Boston',
  time_zone: 'America/New_York',
  active: true,
  latitude: null,
  longitude: null,
  radius: null,
};
const set = (data: Region): RegionEvent => ({ type: 'region-set.v1', data });
const change = (changes: Partial<Region>): Parameters<typeof region.decide>[0] => ({
  type: 'set',
  id: 'boston',
  changes,
});

describe('G3: a region', () => {
  it('needs a name and a time zone, and is active by default', () => {
    given(region)
      .when(change({ name: 'Boston' }))
      .then('region_attribute_missing');
    given(region)
      .when(change({ time_zone: 'America/New_York' }))
      .then('region_attribute_missing');
    expect(() => region.decide(change({}), null, 0)).toThrow(
      expect.objectContaining({
        code: 'several',
        all: ['name', 'time_zone'].map((field) => expect.objectContaining({ details: { field } })),
      }),
    );
    given(region)
      .when(change({ name: 'Boston', time_zone: 'America/New_York' }))
      .then([set(boston)]);
  });

  it('has a latitude and a longitude, or neither', () => {
    const placed = { ...boston, latitude: 42.3, longitude: -71, radius: 20 };
    const base = { name: 'Boston', time_zone: 'America/New_York' };
    given(region)
      .when(change({ ...base, latitude: 42.3 }))
      .then('region_place_half');
    given(region, [set(placed)])
      .when(change({ latitude: null }))
      .then('region_place_half');
    given(region, [set(placed)])
      .when(change({ latitude: null, longitude: null }))
      .then([set({ ...placed, latitude: null, longitude: null })]);
  });

  it('keeps attributes that a change does not name, and accepts null for optional ones', () => {
    const placed = { ...boston, latitude: 42.3, longitude: -71, radius: 20 };
    given(region, [set(placed)])
      .when(change({ active: false }))
      .then([set({ ...placed, active: false })]);
    given(region, [set(placed)])
      .when(change({ radius: null }))
      .then([set({ ...placed, radius: null })]);
  });

  it('leads to no event if nothing changes', () => {
    given(region, [set(boston)])
      .when(change({ name: 'Boston', active: true }))
      .then([]);
    given(region, [set(boston)])
      .when(change({}))
      .then([]);
  });

  it('has the row of its last event', async () => {
    const history = [set(boston), set({ ...boston, name: 'Greater Boston' })].map((each) => ({
      ...each,
      stream: 'region-boston',
    }));
    expect(await rowsOf(regionsView, history)).toEqual({ boston: { ...boston, name: 'Greater Boston' } });
  });
});
