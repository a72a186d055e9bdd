/** Characters that a terminal obeys instead of showing them: control characters, line marks and direction marks. */
const COMMANDS = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Makes a text of a service safe to print: the service must not control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(COMMANDS, (found) => (found === '\n' ? found : '\ufffd'));
}
