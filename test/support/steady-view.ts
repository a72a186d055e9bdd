import { defineView, value, type View } from '#kernel';

/** A row with the number of the write that it came from. */
export interface SteadyRow {
  readonly write: number;
  readonly weight: string;
}

export const STEADY_LOG = 'steady-log';
export const STEADY_ROWS = 60;

/** Every write of `steady-view-writer.ts` sets all rows to its number, which is also the checkpoint. */
export const steadyView: View<SteadyRow> = defineView<SteadyRow, never, 'write' | 'parts'>({
  name: 'steady',
  version: 1,
  key: () => [],
  on: {},
  fields: { write: value((row) => row.write), parts: value((row) => [row.write, -row.write]) },
  indexes: [['write']],
});
