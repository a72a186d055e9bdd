/** What a job carries: where its row is, and nothing of it. */
export interface RowJob {
  readonly list: string;
  readonly key: string;
}

/** The id of a row's job, `<list>-<key>`: what BullMQ and Redis keys give a meaning to, such as `:`, is escaped as in addresses. */
export function jobId(list: string, key: string): string {
  return `${list}-${encodeURIComponent(key)}`;
}
