import type { GenerationStatus, ProjectorReport, ViewStatus } from '#eventsourcing';
import type { Logger } from 'pino';

/** The last known state of a view. */
interface Known {
  readonly generation: number | null;
  readonly stopped: boolean;
  readonly generations: ReadonlyMap<number, GenerationStatus['state']>;
}

/** Logs when another generation of a view becomes live, when a view stops or goes on again, and what becomes of builds. */
export class ViewLogger {
  readonly #known = new Map<string, Known>();

  constructor(private readonly log: Logger) {}

  logChanges({ views }: Pick<ProjectorReport, 'views'>): void {
    for (const status of views) {
      const { view, generation, state } = status;
      const before = this.#known.get(view);
      const generations = new Map(status.generations.map((each) => [each.number, each.state]));
      this.#known.set(view, { generation, stopped: state === 'stopped', generations });
      this.#logView(status, before);
      if (before !== undefined)
        for (const each of status.generations) this.#logBuild(view, each, before.generations.get(each.number));
    }
  }

  #logView({ view, generation, state, error }: ViewStatus, before: Known | undefined): void {
    if (before !== undefined && before.generation !== generation) {
      const [level, what] =
        before.generation === null ? (['debug', 'built'] as const) : (['info', 'promoted'] as const);
      this.log[level]({ view, generation, before: before.generation }, `a view was ${what}`);
    }
    const stopped = state === 'stopped';
    if (stopped && before?.stopped !== true) this.log.error({ view, generation, error }, 'a view has stopped');
    if (!stopped && before?.stopped === true) this.log.info({ view, generation }, 'a view continues');
  }

  #logBuild(
    view: string,
    { number: generation, state, error }: GenerationStatus,
    before: GenerationStatus['state'] | undefined,
  ): void {
    if (state === before) return;
    const of = { view, generation };
    if (state === 'building' && before === undefined) this.log.info(of, 'the build of a view has begun');
    if (state === 'ready' && before === 'building') this.log.info(of, 'the build of a view is ready to be promoted');
    if (state === 'failed') this.log.error({ ...of, error }, 'the build of a view has failed');
    if (state === 'cancelled') this.log.info(of, 'the build of a view was cancelled');
  }
}
