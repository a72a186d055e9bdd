import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { FILES } from '#kernel/bounds';
import { readWithin, UnreadableFile } from './read-within.js';

/** A PEM file, and the first certificate in it. */
export interface CertificateFile {
  readonly pem: Buffer;
  readonly certificate: X509Certificate;
}

/** A PEM file, and the private key in it. */
export interface KeyFile {
  readonly pem: Buffer;
  readonly key: KeyObject;
}

/**
 * Reads a file of certificates that an operator names.
 * @param setting the variable, and the option in it if there is one
 * @throws Error that names the setting and the file, and says what it must hold
 */
export function readCertificates(setting: string, path: string): CertificateFile {
  const pem = readPem(setting, path);
  try {
    return { pem, certificate: new X509Certificate(pem) };
  } catch {
    throw new Error(`${setting}: ${path} must hold a certificate in PEM`);
  }
}

/**
 * Reads the file of a private key that an operator names.
 * @param passphrase of the key, if it has one
 * @throws Error that names the setting and the file, and says what it must hold
 */
export function readPrivateKey(setting: string, path: string, passphrase?: string): KeyFile {
  const pem = readPem(setting, path);
  try {
    return { pem, key: createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) }) };
  } catch {
    const secret = passphrase === undefined ? 'without a passphrase' : 'with the passphrase that is set';
    throw new Error(`${setting}: ${path} must hold a private key in PEM, ${secret}`);
  }
}

/** @throws Error that names the setting and the file if it cannot be read or is too large */
export function readPem(setting: string, path: string): Buffer {
  const must = `${setting}: ${path} must be a PEM file that the service can read`;
  let pem: Buffer | undefined;
  try {
    pem = readWithin(path, FILES.pem);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new Error(`${must}, but ${error.why}`, { cause: error });
  }
  if (pem === undefined) throw new Error(`${must}, of at most ${FILES.pem} bytes`);
  return pem;
}
