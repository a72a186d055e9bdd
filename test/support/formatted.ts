import { readFileSync } from 'node:fs';
import { format, type FormatConfig } from 'oxfmt';

const STYLE = JSON.parse(readFileSync('.oxfmtrc.json', 'utf8')) as FormatConfig;

/**
 * A text as `npm run format` would write it into a file of this name.
 * @throws Error if it cannot be read as such a file
 */
export async function formatted(file: string, text: string): Promise<string> {
  const { code, errors } = await format(file, text, STYLE);
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join(', ')}`);
  return code;
}
