import type { AnswerOf } from '#http';
import type { REGION } from './region.answer.js';
import type { Region } from './region.events.js';

/** A region's answer (interface 2.12). */
export function presentRegion({ id, active, name }: Region): AnswerOf<typeof REGION> {
  return { id, active, name };
}
