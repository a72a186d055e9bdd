import type { ProjectorReport } from '#eventsourcing';

/** The one report that is kept: the latest. */
export interface ReportDocument {
  readonly _id: 'report';
  /** Counts the workers that have published; only the last one may. */
  readonly epoch: number;
  /** Counts the reports of one worker. */
  readonly sequence: number;
  /** JSON of {@link Published}, positions as texts. */
  readonly text: string;
}

/** A report as it is kept: what changed is counted, so that who misses a report still learns of its changes from the next. */
export interface Published {
  readonly report: Omit<ProjectorReport, 'changed' | 'due'>;
  /** How often each view has changed under this worker. */
  readonly changes: Readonly<Record<string, number>>;
}

const POSITIONS = new Set(['head', 'position']);

export function writeReport(published: Published): string {
  return JSON.stringify(published, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

export function readReport(text: string): Published {
  return JSON.parse(text, (name, value: unknown) =>
    POSITIONS.has(name) && typeof value === 'string' ? BigInt(value) : value,
  ) as Published;
}
