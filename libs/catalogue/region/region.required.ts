import type { Writer } from '#eventsourcing';
import { missing, ValidationFailed } from '#http';
import { region } from './region.decider.js';
import type { Region } from './region.events.js';
import { readRegionSlug } from './region.schema.js';

const NEEDED = ['name', 'time_zone'] as const;

/**
 * Adds what a new region still needs to the faults of its parameters, so that a caller learns all of them at once (ruling G3).
 * @param error of the reader; anything but faults is thrown again
 * @throws ValidationFailed
 */
export async function withMissingOfRegion(
  writer: Pick<Writer, 'read'>,
  parameters: Readonly<Record<string, unknown>>,
  error: unknown,
): Promise<never> {
  const id = readRegionSlug(parameters['slug']);
  throw withMissing(id === undefined ? null : await writer.read(region, id), parameters, error);
}

/**
 * The same for a region that is known, or null for a new one. What is given but wrong is not missing.
 * @returns the error to throw
 */
export function withMissing(
  known: Region | null,
  parameters: Readonly<Record<string, unknown>>,
  error: unknown,
): unknown {
  if (!(error instanceof ValidationFailed)) return error;
  const named = new Set(error.entries.map(({ field }) => field));
  const lacking = known === null ? NEEDED.filter((name) => !named.has(name) && (parameters[name] ?? '') === '') : [];
  return new ValidationFailed([...error.entries, ...lacking.map((name) => missing(name, 'region'))]);
}
