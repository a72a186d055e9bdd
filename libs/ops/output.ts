/** Where a command writes: results to `out`; progress and failures to `err`. */
export interface Output {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** One object of JSON per result, for machines. */
  readonly json: boolean;
}

/** Writes a result: the object itself for machines, the text for people. */
export function write({ out, json }: Output, result: object, text: string): void {
  out.write(`${json ? JSON.stringify(result) : text}\n`);
}

/** Rows under their titles, in columns as wide as they have to be. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
