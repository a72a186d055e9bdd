const DUPLICATE_KEY = 11_000;
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;
const NOT_IMPLEMENTED = 238;

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code;
}

/** There is a document with this id already. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === DUPLICATE_KEY;
}

/** There is no such collection. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === NAMESPACE_NOT_FOUND;
}

/** The server does not have this kind of index: FerretDB says so in two ways. */
export function isUnknownIndex(error: unknown): boolean {
  return codeOf(error) === NOT_IMPLEMENTED || codeOf(error) === INDEX_NOT_FOUND;
}
