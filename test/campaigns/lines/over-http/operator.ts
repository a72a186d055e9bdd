import { setTimeout as pause } from 'node:timers/promises';
import { DAY } from '#kernel';
import type { RunningService } from '../../../support/running-service.js';

/** Creates deals and moves the clock, at B, whose line is whole. */
export class Operator {
  constructor(private readonly service: RunningService) {}

  /** Moves the time of all processes. */
  async forward(milliseconds: number): Promise<void> {
    const now = Date.parse(await this.#ask('GET', '/clock'));
    await this.#ask('PUT', '/clock', { now: new Date(now + milliseconds).toISOString() });
  }

  /**
   * Puts deals on sale.
   * @param name the beginning of their ids
   * @param price cents per unit
   * @returns their ids
   */
  async newDeals(name: string, count: number, units: number, price: number): Promise<readonly string[]> {
    const now = Date.parse(await this.#ask('GET', '/clock'));
    const at = (instant: number): string => new Date(instant).toISOString();
    const terms = { title: name, region_id: 'testland', start_at: at(now - DAY), end_at: at(now + 9 * DAY) };
    const about = { ...terms, current_price: price, value: 2 * price, stock: units, image: '/images/deal.jpg' };
    return Promise.all(
      Array.from({ length: count }, async (_, number) => {
        const deal = `${name}-${number}`;
        await this.#ask('PUT', `/deals/${deal}`, about);
        for (const to of ['in-review', 'approved']) await this.#ask('POST', `/deals/${deal}/transitions`, { to });
        return deal;
      }),
    );
  }

  async #ask(method: string, path: string, body?: object): Promise<string> {
    const [, at = ''] = this.service.urls;
    for (;;) {
      const token = this.service.operatorToken;
      const answer = await this.service.ask(method, `/operators${path}`, { token, body, at });
      if (answer.status === 200) return answer.body.now;
      // On a busy machine; these requests can be repeated.
      if (answer.status !== 503) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      await pause(100);
    }
  }
}
