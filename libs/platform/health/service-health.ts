import { Unavailable } from '#eventsourcing';
import type { Service } from '../service.js';

export interface ViewHealth {
  readonly view: string;
  readonly state: string;
  /** Events that it is behind the log. */
  readonly lag: number;
  readonly error: string | null;
}

/** Whether the service can do its work (ruling G11). */
export interface Health {
  readonly ready: boolean;
  /** What a start has to make is there and answers. */
  readonly prepared: boolean;
  readonly log: { readonly state: 'writing' | 'failed'; readonly head: string; readonly error: string | null };
  readonly views: readonly ViewHealth[];
  /** null: cannot be told now. */
  readonly stuck: number | null;
}

/** A view that is further behind than this is not fit to be read. */
const MOST_LAG = 10_000;
/** A projector tells of itself every few seconds; after this time of silence, in milliseconds, its last word counts no more. */
const SILENT_AFTER = 15_000;

export class ServiceHealth {
  constructor(private readonly service: Service) {}

  async check(): Promise<Health> {
    const { projections, prepared } = this.service;
    const silence = projections.silentFor();
    const silent = silence > SILENT_AFTER;
    const unheard = `nothing was heard of the projector for ${Math.round(silence / 1_000)} s: does a worker run?`;
    const views = (projections.report()?.views ?? []).map(({ view, state, lagEvents, error }) => ({
      view,
      state: silent ? 'silent' : state,
      lag: lagEvents,
      error: silent ? unheard : error,
    }));
    const viewsReady = views.length > 0 && views.every(({ state, lag }) => state === 'live' && lag <= MOST_LAG);
    const [log, stuck] = await Promise.all([this.#log(), this.#stuck()]);
    const ready = prepared && log.state === 'writing' && viewsReady && stuck !== null;
    return { ready, prepared, log, views, stuck };
  }

  async #stuck(): Promise<number | null> {
    try {
      return (await this.service.stuck()).length;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return null;
    }
  }

  /** A log that does not answer is told of with the last position that its followers knew. */
  async #log(): Promise<Health['log']> {
    const failure = this.service.logFailure();
    try {
      const head = (await this.service.engine.log.head()).toString();
      return { state: failure === undefined ? 'writing' : 'failed', head, error: failure ?? null };
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      const head = (this.service.projections.report()?.head ?? 0n).toString();
      return { state: 'failed', head, error: failure ?? error.message };
    }
  }
}
