/** A service without a single caller needs about 150: for the files of views, threads and servers. */
const FEWEST = 256;

/** How many files the process may have open; undefined where the system does not say. */
function limit(): number | undefined {
  // Looking up names of the network's addresses takes time, and is no concern here.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/**
 * Refuses a start that would break off in the middle, or serve hardly anybody.
 * @throws Error in words
 */
export function checkOpenFiles(most: number | undefined = limit()): void {
  if (most === undefined || most >= FEWEST) return;
  throw new Error(
    `this process may have ${most} files open, and needs ${FEWEST} at least, and one more for each connection: raise the limit (ulimit -n)`,
  );
}
