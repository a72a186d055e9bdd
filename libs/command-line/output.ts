import { once } from 'node:events';

/** The streams of a command: results go to `out`, progress and failures to `err`. */
export interface Output {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Write one JSON object per result, for machines. */
  readonly json: boolean;
}

/** Characters that a terminal obeys instead of showing them: control characters, line marks and direction marks. */
const COMMANDS = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Makes a text of a service safe to print: the service must not control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(COMMANDS, (found) => (found === '\n' ? found : '\ufffd'));
}

/** Writes a result: the object as JSON for machines, the text for people. */
export function write({ out, json }: Output, result: object, text: string): void {
  out.write(`${json ? JSON.stringify(result) : printable(text)}\n`);
}

/** Writes one of many lines, when the reader has taken the earlier ones. */
export async function writeLine(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (!stream.write(`${text}\n`)) await once(stream, 'drain');
}

/** A table with a line for each field; those with parts are left out. */
export function fields(of: Readonly<Record<string, string | number | object | null>>): string {
  const rows = Object.entries(of).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? [] : [[name.replaceAll('_', ' '), String(value ?? '–')]],
  );
  return table(['FIELD', 'VALUE'], rows);
}

/** A table with titles. Each column is as wide as its longest cell. */
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
