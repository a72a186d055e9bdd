import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, RunningService } from '../../support/running-service.js';

/** What is sold, and to whom. */
export interface Stall {
  readonly key: string;
  readonly deal: string;
  readonly user: string;
}

/** Milliseconds that a client waits after anything but a yes. */
const AGAIN = 50;

/** Clients that hold a unit and claim it, one after another, whatever fails meanwhile. */
export class Sellers {
  /** The purchases that were acknowledged. */
  readonly sold = new Set<string>();
  /** How often they got anything else, by what it was. */
  readonly refused = new Map<string, number>();
  #over = false;
  readonly #clients: readonly Promise<void>[];

  constructor(
    private readonly service: RunningService,
    private readonly stall: Stall,
    clients: number,
  ) {
    this.#clients = Array.from({ length: clients }, () => this.#client());
  }

  /** Waits until so many more are sold. @returns the milliseconds that it took */
  async sell(more: number): Promise<number> {
    const [began, wanted] = [performance.now(), this.sold.size + more];
    while (this.sold.size < wanted) await pause(10);
    return performance.now() - began;
  }

  async end(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#clients);
  }

  async #client(): Promise<void> {
    const { deal, user } = this.stall;
    while (!this.#over) {
      const held = await this.#ask('POST', '/purchases/reserve', { deal_id: deal, num_bought: 1 });
      if (held === undefined) continue;
      const { id } = held.body.purchase as { readonly id: string };
      if ((await this.#ask('PUT', `/purchases/${id}/claim`, { user_id: user })) !== undefined) this.sold.add(id);
    }
  }

  /** @returns the answer, if it is a yes */
  async #ask(method: string, path: string, body: unknown): Promise<Answer | undefined> {
    // Without the position of other clients: an API that waits for views would say no more than one that does not.
    const options = { key: this.stall.key, body, headers: { 'holdfast-position': '0' } };
    const answer = await this.service
      .ask(method, path, options)
      .catch((error: unknown) => error as NodeJS.ErrnoException);
    if (!(answer instanceof Error) && answer.status === 200) return answer;
    const what = answer instanceof Error ? String(answer.code) : `${answer.status} ${answer.body?.error_type}`;
    this.refused.set(what, (this.refused.get(what) ?? 0) + 1);
    await pause(AGAIN);
    return undefined;
  }
}
