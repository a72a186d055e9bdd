/**
 * A store takes no more calls in this process, because a sync failed or its file can no longer be written. This is final:
 * the content of the file is no longer known. Whether the call was carried out is unknown until a restart.
 */
export class StoreFailed extends Error {
  override name = 'StoreFailed';
}
