import type { Line, Sample } from '../../interface/conventions.table.js';
import type { DocumentedService } from '../../support/documented-service.js';
import type { Json } from '../../support/running-service.js';

/** A call, and the names of all its parameters. */
export interface Call {
  readonly route: string;
  readonly line: Line;
  readonly sample: Sample;
  readonly names: readonly string[];
}

/** The call of a route, with its parameters. */
export async function callOf(documented: DocumentedService, route: string, line: Line): Promise<Call> {
  const sample = await line.sample(documented.world);
  const names = documented.parametersOf(route).map(({ name }: Json) => name as string);
  return { route, line, sample, names: [...names, ...Object.keys(sample.send ?? {}), 'unheard_of'] };
}
