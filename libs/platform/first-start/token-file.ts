import { readWithin } from '#files';
import { FILES, TOKEN_LENGTH } from '#kernel/bounds';

const [LEAST, MOST] = TOKEN_LENGTH;

/** A shorter token was cut off, and can be guessed; a longer one does not fit into a header. */
const TOKEN = new RegExp(`^\\S{${LEAST},${MOST}}$`);

/** The token in a file; undefined if it holds none. */
export function tokenIn(file: string): string | undefined {
  const token = readWithin(file, FILES.tokenFile)?.toString().trim() ?? '';
  return TOKEN.test(token) ? token : undefined;
}

/** The message about a file without a token. */
export function noTokenMessage(file: string): string {
  return `${file} holds no token (${LEAST} to ${MOST} characters): put it back from a backup, or delete it for a new one`;
}
