/**
 * A store takes no calls any more in this process (a sync failed, or its file can no longer be written): final, for what
 * the file holds is no longer known. Whether the call was carried out is unknown; a restart finds out.
 */
export class StoreFailed extends Error {
  override name = 'StoreFailed';
}
