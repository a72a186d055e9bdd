/** The content of a job: the place of its row, and nothing from the row. */
export interface RowJob {
  readonly list: string;
  readonly key: string;
}

/**
 * The id of a row's job, `<list>-<key>`. Characters with a meaning for BullMQ and Redis, such as `:`, are percent-encoded.
 */
export function jobId(list: string, key: string): string {
  return `${list}-${encodeURIComponent(key)}`;
}
