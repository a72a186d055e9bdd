const DUPLICATE_KEY = 11_000;
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;
const NOT_IMPLEMENTED = 238;

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code;
}

/** Whether a document with this id exists already. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === DUPLICATE_KEY;
}

/** Whether the collection does not exist. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === NAMESPACE_NOT_FOUND;
}

/** Whether the server lacks this kind of index: FerretDB says so in two ways. */
export function isUnknownIndex(error: unknown): boolean {
  return codeOf(error) === NOT_IMPLEMENTED || codeOf(error) === INDEX_NOT_FOUND;
}
