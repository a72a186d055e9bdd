/**
 * The versions of Node that Holdfast runs on, in the only place that names them: of each of these lines, from this patch on. They
 * are the last security releases that npm's packages of Node have for every machine but one: Apple silicon has only 26.10.0.
 */
const LEAST = ['24.18.1', '26.5.1'];

/** The versions in words. */
export const VERSIONS = LEAST.map((least) => `${least.split('.')[0]} (from ${least})`).join(' or ');

/** Whether Holdfast runs on a Node. @param version such as v24.18.1; a nightly build or a candidate is none of ours */
export function isUsable(version) {
  const found = /^v?(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number);
  return found !== undefined && LEAST.some((least) => isFrom(found, least.split('.').map(Number)));
}

function isFrom([major, minor, patch], [line, least, leastPatch]) {
  return major === line && (minor > least || (minor === least && patch >= leastPatch));
}
