/** A service without any caller needs about 150: for the files of views, threads and servers. */
const FEWEST = 256;

/** How many files the process may have open; undefined if the system does not say. */
function limit(): number | undefined {
  // Without the network part, which takes time for looking up names.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/**
 * Checks that the process may open enough files for a start and some callers.
 * @throws Error that says how many it needs
 */
export function checkOpenFiles(most: number | undefined = limit()): void {
  if (most === undefined || most >= FEWEST) return;
  throw new Error(
    `this process may have ${most} files open, and needs ${FEWEST} at least, and one more for each connection: raise the limit (ulimit -n)`,
  );
}
