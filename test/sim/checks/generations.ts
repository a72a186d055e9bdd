import { views } from '#platform/model';
import { OPERATOR } from '../world/service-process.js';
import type { Answer, Request } from '../world/installation.js';
import type { ViewsData } from '../world/view-data.js';
import { Violation } from './violation.js';

interface Shown {
  readonly number: number;
  readonly state: string;
}

/** What operators see of each projection is what is stored: a build that was cancelled or dropped is gone. */
export async function checkGenerations(
  ask: (request: Request) => Promise<Answer>,
  stored: Pick<ViewsData, 'of'>,
): Promise<void> {
  for (const view of views) {
    const { text } = await ask({
      method: 'GET',
      path: `/operators/projections/${view.name}/generations`,
      credential: { token: OPERATOR },
    });
    const { generations } = JSON.parse(text) as { readonly generations: readonly Shown[] };
    const said = numbersOf(generations.filter(({ state }) => state !== 'failed' && state !== 'cancelled'));
    const there = numbersOf(stored.of(view));
    if (said !== there)
      throw new Violation('a dropped build is gone', `view ${view.name}`, `${there} are stored; operators see ${said}`);
  }
}

function numbersOf(generations: readonly Pick<Shown, 'number'>[]): string {
  return generations
    .map(({ number }) => number)
    .sort((a, b) => a - b)
    .join();
}
