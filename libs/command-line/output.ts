/** Where a command writes: results to `out`; progress and failures to `err`. */
export interface Output {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** One object of JSON per result, for machines. */
  readonly json: boolean;
}

/** What a terminal would obey or turn around in place of showing it: control characters, line and direction marks. */
const COMMANDS = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text of a service as a terminal may show it: whatever answers there must not steer the terminal. */
export function printable(text: string): string {
  return text.replaceAll(COMMANDS, (found) => (found === '\n' ? found : '\ufffd'));
}

/** Writes a result: the object itself for machines, the text for people. */
export function write({ out, json }: Output, result: object, text: string): void {
  out.write(`${json ? JSON.stringify(result) : printable(text)}\n`);
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
