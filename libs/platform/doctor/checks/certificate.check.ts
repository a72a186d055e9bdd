import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { DAY } from '#kernel';
import { openToOthers, readCertificates } from '#files';
import { readCertificate } from '../../certificate.js';
import type { Looks } from '../looks.js';
import { look, ok, type Result, together, wrong } from '../verdict.js';
import { timeInWords } from '../words.js';

/** An authority that renews by itself does so before this time is left, in milliseconds. */
const SOON = 21 * DAY;

/** The dates of the TLS certificate, whether its key fits, and whether it is for PUBLIC_URL. */
export async function checkCertificate({ settings, now }: Looks): Promise<Result> {
  const { tls, publicUrl } = settings.config;
  if (tls === undefined) return ok('not used: TLS_CERT is not set');
  try {
    readCertificate(tls);
  } catch (error) {
    return wrong(
      (error as Error).message,
      'Put the right files there: the service takes changed files without a restart.',
    );
  }
  const { certificate } = readCertificates('TLS_CERT', tls.cert);
  const open = openToOthers(tls.key);
  return together([
    datesOf(certificate, now),
    ...hostOf(certificate, publicUrl),
    ...(open === undefined ? [] : [look(`TLS_KEY: ${open}`, 'Close the key to other users.')]),
  ]);
}

function datesOf({ validFromDate, validToDate }: X509Certificate, now: number): Result {
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  const renew = 'Renew it, and write the new files to TLS_CERT and TLS_KEY: the service takes them without a restart.';
  if (now < from)
    return wrong(
      `the certificate is valid only from ${validFromDate.toISOString()}`,
      'Check the clock of this machine, or put the last certificate back.',
    );
  if (now >= to) return wrong(`the certificate has expired, ${validToDate.toISOString()}`, renew);
  const facts = `valid until ${validToDate.toISOString()} (${timeInWords(to - now)})`;
  return to - now < SOON ? look(facts, renew) : ok(facts);
}

function hostOf(certificate: X509Certificate, publicUrl: string | undefined): readonly Result[] {
  if (publicUrl === undefined) return [];
  const { hostname } = new URL(publicUrl);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isFor = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  if (isFor !== undefined) return [ok(`for ${host}`)];
  return [
    wrong(
      `it is not for ${host}, the host of PUBLIC_URL`,
      'Put a certificate there that names this host, or correct PUBLIC_URL.',
    ),
  ];
}
