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

/** What JSON has of a value: positions, which do not fit a double, are text. */
type Written<T> = T extends bigint
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Written<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Written<T[Name]> }
      : T;

type Positioned = { readonly position: bigint };

// Every process reads every report: a function that JSON calls for each of its values would take ten times as long.

export function writeReport({ report: { views, head }, changes }: Published): string {
  const written: Written<Published> = {
    report: {
      views: views.map((view) => ({ ...withText(view), generations: view.generations.map(withText) })),
      head: head.toString(),
    },
    changes,
  };
  return JSON.stringify(written);
}

export function readReport(text: string): Published {
  const {
    report: { views, head },
    changes,
  } = JSON.parse(text) as Written<Published>;
  return {
    report: {
      views: views.map((view) => ({ ...withPosition(view), generations: view.generations.map(withPosition) })),
      head: BigInt(head),
    },
    changes,
  };
}

function withText<T extends Positioned>({
  position,
  ...status
}: T): Omit<T, 'position'> & { readonly position: string } {
  return { ...status, position: position.toString() };
}

function withPosition<T extends { readonly position: string }>({
  position,
  ...status
}: T): Omit<T, 'position'> & Positioned {
  return { ...status, position: BigInt(position) };
}
