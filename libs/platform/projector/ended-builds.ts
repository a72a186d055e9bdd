import type { GenerationStatus, ProjectorReport } from '#eventsourcing';

/** The number of ended builds that are kept per view. */
const CACHED = 10;

type Ended = GenerationStatus & { readonly state: 'failed' | 'cancelled' };

/**
 * The outcome of builds that have ended without a generation: an operator cancelled them, or the projector failed in them. The
 * projector itself forgets both. This keeps them while the process lives.
 */
export class EndedBuilds {
  readonly #ended = new Map<string, readonly Ended[]>();
  /** The builds that were running when the projector failed. */
  #broken: readonly { readonly view: string; readonly generation: GenerationStatus; readonly reason: string }[] = [];

  /** @param report the last report of the projector */
  broke(report: ProjectorReport | undefined, reason: string): void {
    const before = this.#broken;
    const building = (report?.views ?? []).flatMap(({ view, generations }) =>
      generations.filter(({ state }) => state === 'building').map((generation) => ({ view, generation, reason })),
    );
    const isBuilding = (of: string, { number }: GenerationStatus): boolean =>
      building.some(({ view, generation }) => view === of && generation.number === number);
    this.#broken = [...before.filter(({ view, generation }) => !isBuilding(view, generation)), ...building];
  }

  cancelled(report: ProjectorReport | undefined, view: string, number: number): void {
    const last = report?.views
      .find((each) => each.view === view)
      ?.generations.find((generation) => generation.number === number);
    if (last !== undefined) this.#remember(view, last, 'cancelled', null);
  }

  /** Adds the builds that have ended to a report. */
  addedTo(report: ProjectorReport): ProjectorReport {
    for (const { view, generation, reason } of this.#broken) {
      const now = report.views.find((each) => each.view === view)?.generations ?? [];
      if (!now.some(({ number }) => number === generation.number)) this.#remember(view, generation, 'failed', reason);
    }
    this.#broken = [];
    if (this.#ended.size === 0) return report;
    return {
      ...report,
      views: report.views.map((each) => {
        const { generations } = each;
        const ended = (this.#ended.get(each.view) ?? []).filter(
          ({ number }) => !generations.some((generation) => generation.number === number),
        );
        return { ...each, generations: [...ended, ...generations].toSorted((a, b) => a.number - b.number) };
      }),
    };
  }

  #remember(view: string, last: GenerationStatus, state: Ended['state'], error: string | null): void {
    const others = (this.#ended.get(view) ?? []).filter(({ number }) => number !== last.number);
    const ended = { ...last, state, eventsPerSecond: 0, timeLeft: null, error };
    this.#ended.set(view, [...others, ended].slice(-CACHED));
  }
}
