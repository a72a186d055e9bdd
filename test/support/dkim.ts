import { createHash, createVerify, type KeyObject } from 'node:crypto';

/** A signature as a receiver sees it. */
export interface DkimResult {
  readonly valid: boolean;
  readonly domain: string | undefined;
  readonly selector: string | undefined;
  /** Names of the signed headers, in small letters. */
  readonly signed: readonly string[];
}

/** Checks the first signature of a mail (RFC 6376: rsa-sha256, relaxed/relaxed), written from the RFC alone. */
export function checkDkim(raw: Buffer, key: KeyObject): DkimResult {
  const text = raw.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const headers = text.slice(0, end).split(/\r\n(?![ \t])/);
  const signature = headers.find((header) => /^dkim-signature:/i.test(header)) ?? '';
  const tags = Object.fromEntries(
    signature
      .slice(signature.indexOf(':') + 1)
      .split(';')
      .map((tag) => tag.replaceAll(/\s/g, ''))
      .filter((tag) => tag !== '')
      .map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
  );
  const signed = (tags['h'] ?? '').toLowerCase().split(':');
  // From the bottom up: a name that stands in the list twice signs the next header above.
  const left = headers.toReversed();
  const lines = signed.map((name) => {
    const at = left.findIndex((header) => header.slice(0, header.indexOf(':')).trim().toLowerCase() === name);
    return at < 0 ? '' : `${relaxed(left.splice(at, 1)[0] ?? '')}\r\n`;
  });
  const unsigned = relaxed(signature.replace(/([;\s]b=)[^;]*/, '$1'));
  const verify = createVerify('RSA-SHA256').update(`${lines.join('')}${unsigned}`, 'latin1');
  const bodyHash = createHash('sha256')
    .update(relaxedBody(text.slice(end + 4)), 'latin1')
    .digest('base64');
  const usual = tags['v'] === '1' && tags['a'] === 'rsa-sha256' && tags['c'] === 'relaxed/relaxed';
  return {
    valid: usual && bodyHash === tags['bh'] && verify.verify(key, tags['b'] ?? '', 'base64'),
    domain: tags['d'],
    selector: tags['s'],
    signed,
  };
}

function relaxed(header: string): string {
  const colon = header.indexOf(':');
  const value = header
    .slice(colon + 1)
    .replaceAll('\r\n', '')
    .replaceAll(/[ \t]+/g, ' ');
  return `${header.slice(0, colon).trim().toLowerCase()}:${value.trim()}`;
}

function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replaceAll(/[ \t]+/g, ' ').replace(/ $/, ''));
  return `${lines.join('\r\n').replace(/(\r\n)*$/, '')}\r\n`;
}
