import { parsedJson } from '#kernel';
import { CommandFailure, ExitCode } from './command-failure.js';
import type { ServiceClient } from './service-client.js';

/** A projection, as the service reports it (ruling G6). */
export interface Projection {
  readonly view: string;
  readonly version: number;
  readonly generation: number | null;
  readonly state: 'building' | 'live' | 'stopped';
  /** null: unknown yet. */
  readonly lag_events: number | null;
  readonly lag_seconds: number;
  readonly last_error: string | null;
  /** Absent in the answers of an older service. */
  readonly stopped_at?: { readonly position: string; readonly event: string } | null;
}

/** A generation, as the service reports it. */
export interface Generation {
  readonly number: number;
  readonly state: 'building' | 'ready' | 'live' | 'stopped' | 'failed' | 'cancelled';
  readonly progress: number;
  readonly events_per_second: number;
  readonly time_left: number | null;
  readonly last_error: string | null;
}

/** In what a generation differs from the live one. */
export interface Compared {
  readonly live: number;
  readonly rows: number;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly samples: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly {
      readonly key: string;
      readonly fields: readonly {
        readonly field: string;
        readonly live: string | number | boolean | null;
        readonly other: string | number | boolean | null;
      }[];
    }[];
  };
}

/** How many rows are compared. */
interface Progress {
  readonly rows: number;
  readonly of: number;
}

/** A page that is larger than any list of them. */
const ALL = 'per_page=1000';
const UNKNOWN = 'This view or generation does not exist: `projections list` names those that do.';

/** Reads the service's projections, and sends orders. */
export class ProjectionsClient {
  constructor(private readonly service: ServiceClient) {}

  async list(): Promise<readonly Projection[]> {
    const { projections } = await this.service.ask<{ projections: readonly Projection[] }>(
      'GET',
      `/operators/projections?${ALL}`,
    );
    return projections;
  }

  async generations(view: string): Promise<readonly Generation[]> {
    const path = `${pathOf(view)}/generations?${ALL}`;
    return (await this.service.ask<{ generations: readonly Generation[] }>('GET', path, { unknown: UNKNOWN }))
      .generations;
  }

  /** @returns the generation that the order was about */
  async order(view: string, verb: 'rebuild' | 'resume' | 'skip', body: object = {}): Promise<number> {
    const path = `${pathOf(view)}/${verb}`;
    return (await this.service.ask<{ generation: number }>('POST', path, { body, unknown: UNKNOWN })).generation;
  }

  /**
   * Compares a generation with the live one.
   * @throws CommandFailure if the answer breaks off
   */
  async compare(
    view: string,
    generation: number,
    signal: AbortSignal,
    told: (progress: Progress) => void,
  ): Promise<Compared> {
    const path = `${pathOf(view)}/generations/${generation}/compare`;
    for await (const text of this.service.lines(path, signal, { posts: true, unknown: UNKNOWN })) {
      const line = parsedJson(text) as Compared | { readonly progress: Progress } | undefined;
      if (line === undefined) continue;
      if (!('progress' in line)) return line;
      told(line.progress);
    }
    throw new CommandFailure('The comparison broke off: compare again.', ExitCode.unreachable);
  }

  async orderOf(view: string, generation: number, verb: 'promote' | 'cancel' | 'drop'): Promise<void> {
    const path = `${pathOf(view)}/generations/${generation}`;
    await (verb === 'drop'
      ? this.service.ask('DELETE', path, { unknown: UNKNOWN })
      : this.service.ask('POST', `${path}/${verb}`, { unknown: UNKNOWN }));
  }
}

function pathOf(view: string): string {
  return `/operators/projections/${encodeURIComponent(view)}`;
}
