import { unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:tls';
import type { Logger } from 'pino';
import { openToOthers, readCertificates, readPrivateKey } from '#files';
import { WAITS } from '#kernel/bounds';

/** The paths of the certificate and its private key, as PEM files. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** TLS 1.3, and 1.2 with forward secrecy only: a stolen key does not decrypt earlier traffic. */
export const TLS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
    ...['ECDSA', 'RSA'].flatMap((kind) => [
      `ECDHE-${kind}-AES128-GCM-SHA256`,
      `ECDHE-${kind}-AES256-GCM-SHA384`,
      `ECDHE-${kind}-CHACHA20-POLY1305`,
    ]),
  ].join(':'),
  honorCipherOrder: true,
  handshakeTimeout: WAITS.headers,
} as const;

/** How often the service checks the files for changes, in milliseconds. */
const LOOK_EVERY = 1_000;

/**
 * Reads a certificate with its chain, and its key.
 * @throws Error that names the variable of the wrong file and says what it should hold
 */
export function readCertificate(files: CertificateFiles): Certificate {
  const { pem: cert, certificate } = readCertificates('TLS_CERT', files.cert);
  const { pem: key, key: privateKey } = readPrivateKey('TLS_KEY', files.key);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(
      `TLS_KEY: ${files.key} must hold the key of the first certificate in ${files.cert} (TLS_CERT); put the server’s own certificate before those of its issuers`,
    );
  }
  return { cert, key };
}

/**
 * Uses the new certificate whenever the files change. Open connections go on. While the two files do not match, because only
 * one is written yet, the last pair stays in use.
 * @returns a function that stops watching
 */
export function followCertificate(servers: readonly Server[], files: CertificateFiles, logger: Logger): () => void {
  const changed = (): void => {
    try {
      const context = { ...TLS, ...readCertificate(files) };
      for (const server of servers) server.setSecureContext(context);
      logger.info('the changed certificate is in use');
      const warning = openToOthers(files.key);
      if (warning !== undefined) logger.warn(`TLS_KEY: ${warning}`);
    } catch (error) {
      logger.warn({ err: error }, 'the changed certificate cannot be used; the last one stays in use');
    }
  };
  const paths = [files.cert, files.key];
  for (const path of paths) watchFile(path, { interval: LOOK_EVERY, persistent: false }, changed);
  return () => {
    for (const path of paths) unwatchFile(path, changed);
  };
}
