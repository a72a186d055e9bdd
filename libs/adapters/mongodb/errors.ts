const DUPLICATE_KEY = 11_000;
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;
const NOT_IMPLEMENTED = 238;
const MAX_TIME_EXPIRED = 50;

/**
 * The code of a server's or a system's error, if it has one. An error of Node itself need not be an instance of the caller's
 * `Error`: each context of the vm module has its own.
 */
export function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}

/** Whether a document with this id exists already. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === DUPLICATE_KEY;
}

/** Whether the server has ended the call because it took longer than it may. */
export function isTooLong(error: unknown): boolean {
  return codeOf(error) === MAX_TIME_EXPIRED;
}

/** Whether the collection does not exist. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === NAMESPACE_NOT_FOUND;
}

/** Whether the server lacks this kind of index: FerretDB says so in two ways. */
export function isUnknownIndex(error: unknown): boolean {
  return codeOf(error) === NOT_IMPLEMENTED || codeOf(error) === INDEX_NOT_FOUND;
}
