import type { Service } from '../service.js';

export interface ViewHealth {
  readonly view: string;
  readonly state: string;
  /** Positions that it is behind the log. */
  readonly lag: number;
  readonly error: string | null;
}

/** Whether the service can do its work (ruling G11). */
export interface Health {
  readonly ready: boolean;
  readonly log: { readonly state: 'writing' | 'failed'; readonly head: string; readonly error: string | null };
  readonly views: readonly ViewHealth[];
  readonly stuck: number;
}

/** A view that is further behind than this is not fit to be read. */
const MOST_LAG = 10_000;

export class ServiceHealth {
  constructor(private readonly service: Service) {}

  async check(): Promise<Health> {
    const failure = this.service.logFailure();
    const head = await this.service.engine.log.head();
    const views = (this.service.projection()?.views ?? []).map(({ view, state, position, error }) => ({
      view,
      state,
      lag: Number(head - position),
      error,
    }));
    const viewsReady = views.length > 0 && views.every(({ state, lag }) => state === 'live' && lag <= MOST_LAG);
    return {
      ready: failure === undefined && viewsReady,
      log: { state: failure === undefined ? 'writing' : 'failed', head: head.toString(), error: failure ?? null },
      views,
      stuck: this.service.stuck().length,
    };
  }
}
