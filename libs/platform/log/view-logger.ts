import type { ProjectorReport } from '#eventsourcing';
import type { Logger } from 'pino';

/** Logs when another generation of a view becomes live, and when a view stops or goes on again. */
export class ViewLogger {
  readonly #known = new Map<string, { readonly generation: number | null; readonly stopped: boolean }>();

  constructor(private readonly log: Logger) {}

  logChanges({ views }: Pick<ProjectorReport, 'views'>): void {
    for (const { view, generation, state, error } of views) {
      const before = this.#known.get(view);
      const stopped = state === 'stopped';
      if (before?.generation === generation && before.stopped === stopped) continue;
      this.#known.set(view, { generation, stopped });
      if (before !== undefined && before.generation !== generation) {
        const [level, what] =
          before.generation === null ? (['debug', 'built'] as const) : (['info', 'promoted'] as const);
        this.log[level]({ view, generation, before: before.generation }, `a view was ${what}`);
      }
      if (stopped && before?.stopped !== true) this.log.error({ view, generation, error }, 'a view has stopped');
      if (!stopped && before?.stopped === true) this.log.info({ view, generation }, 'a view goes on again');
    }
  }
}
