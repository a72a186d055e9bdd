import { DomainError, defineDecider, oneOrAll } from '#kernel';
import type { Region, RegionEvent } from './region.events.js';
import { regionAfter } from './region.row.js';

export interface SetRegion {
  readonly type: 'set';
  readonly id: string;
  /** The given attributes; a new region needs a name and a time zone. */
  readonly changes: Partial<Omit<Region, 'id'>>;
}

/** A region; its slug names its stream. */
export const region = defineDecider<SetRegion, Region | null, RegionEvent>({
  category: 'region',
  initialState: null,
  decide({ id, changes }, state) {
    const { name, time_zone, ...rest } = { ...NEW, ...state, ...changes };
    const { latitude, longitude } = rest;
    const isHalf = lackingIn({ latitude, longitude }).length === 1;
    if (name === null || time_zone === null || isHalf) {
      throw oneOrAll([
        ...lackingIn({ name, time_zone }).map(
          (field) => new DomainError('region_attribute_missing', 'is missing', { field }),
        ),
        ...(isHalf ? lackingIn({ latitude, longitude }) : []).map(
          (field) =>
            new DomainError('region_place_half', 'must be set too: latitude and longitude go together', { field }),
        ),
      ]);
    }
    const after: Region = {
      id,
      name,
      time_zone,
      active: rest.active,
      latitude: rest.latitude,
      longitude: rest.longitude,
      radius: rest.radius,
    };
    const changed = state === null || (Object.keys(after) as (keyof Region)[]).some((key) => after[key] !== state[key]);
    return changed ? [{ type: 'region-set.v1', data: after }] : [];
  },
  evolve: (state, event) => regionAfter(state ?? undefined, event) ?? null,
});

function lackingIn(attributes: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(attributes).filter((field) => attributes[field] === null);
}

const NEW = {
  name: null as string | null,
  time_zone: null as string | null,
  active: true,
  latitude: null as number | null,
  longitude: null as number | null,
  radius: null as number | null,
};
