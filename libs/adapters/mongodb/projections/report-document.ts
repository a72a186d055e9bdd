import type { ProjectorReport } from '#eventsourcing';

/** The latest report, the only one kept. */
export interface ReportDocument {
  readonly _id: 'report';
  /** Counts the workers that have published; only the last one may publish. */
  readonly epoch: number;
  /** Counts the reports of one worker. */
  readonly sequence: number;
  /** JSON of {@link Published}, with positions as text. */
  readonly text: string;
}

/** A stored report. It counts changes, so that a reader who misses a report sees its changes in the next one. */
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
