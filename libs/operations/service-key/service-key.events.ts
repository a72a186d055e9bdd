// These names are on disk.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** The keys of the installation that newer ones can follow. */
export const ROTATED_KEYS = ['master', 'data', 'urls'] as const;
export type RotatedKey = (typeof ROTATED_KEYS)[number];

/** The events of the keys of the installation. They name a key by 8 hex characters that reveal nothing of it. */
export type ServiceKeyEvent =
  | EventOf<
      'key-rotation-begun.v1',
      { readonly key: RotatedKey; readonly from: string; readonly reason: string | null }
    >
  | EventOf<
      'key-rotation-ended.v1',
      { readonly key: RotatedKey; readonly from: string; readonly to: string; readonly at: Instant }
    >;

export const serviceKeyEvents = defineEventTypes<ServiceKeyEvent>(
  'serviceKey',
  { 'key-rotation-begun.v1': true, 'key-rotation-ended.v1': true },
  [],
  { 'key-rotation-ended.v1': ['at'] },
);
