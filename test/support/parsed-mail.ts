/** A part of a mail, decoded. */
interface MailPart {
  readonly type: string;
  readonly content: string;
}

/** A mail as its reader sees it. */
export interface ParsedMail {
  readonly raw: Buffer;
  /** Unfolded and decoded, by their names in small letters. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** The parts in their order; a mail of one part has one. */
  readonly parts: readonly MailPart[];
}

/** Reads the mails that the service writes: multipart/alternative of texts in UTF-8. It is no parser for mails of others. */
export function parsed(raw: Buffer): ParsedMail {
  const { headers, body } = split(raw.toString('latin1'));
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type']?.[0] ?? '')?.[1];
  const parts = boundary === undefined ? [raw.toString('latin1')] : body.split(`--${boundary}`).slice(1, -1);
  return { raw, headers, parts: parts.map((part) => partOf(part.replace(/^\r\n/, '').replace(/\r\n$/, ''))) };
}

function partOf(text: string): MailPart {
  const { headers, body } = split(text);
  return {
    type: headers['content-type']?.[0] ?? '',
    content: decoded(body, headers['content-transfer-encoding']?.[0] ?? '7bit').replaceAll('\r\n', '\n'),
  };
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  return Buffer.from(fromHex(body.replaceAll('=\r\n', '')), 'latin1').toString();
}

const fromHex = (text: string): string =>
  text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

function split(text: string): { readonly headers: Readonly<Record<string, string[]>>; readonly body: string } {
  const end = text.indexOf('\r\n\r\n');
  const headers: Record<string, string[]> = {};
  for (const line of text
    .slice(0, end)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n')) {
    const colon = line.indexOf(':');
    (headers[line.slice(0, colon).toLowerCase()] ??= []).push(words(line.slice(colon + 1).trim()));
  }
  return { headers, body: text.slice(end + 4) };
}

/** Decodes the words of RFC 2047. */
function words(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, how: string, word: string) =>
      how.toLowerCase() === 'b'
        ? `\uE000${word}\uE000`
        : `\uE000${Buffer.from(fromHex(word.replaceAll('_', ' ')), 'latin1').toString('base64')}\uE000`,
    )
    .replaceAll(/\uE000[^]*\uE000/g, (run) =>
      Buffer.concat(run.split('\uE000').map((each) => Buffer.from(each, 'base64'))).toString(),
    );
}
