import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether openssl can create certificates here. */
export const hasOpenssl = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const KEYS = {
  RSA: ['-newkey', 'rsa:2048'],
  EC: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
} as const;

/** A certificate authority for a test, in a folder of the test. */
export class Authority {
  constructor(private readonly folder: string) {
    const args = ['-x509', ...KEYS.EC, '-noenc', '-subj', '/CN=Test authority', '-days', '2'];
    this.#run('req', ...args, '-keyout', this.#in('ca.key'), '-out', this.#in('ca.pem'));
  }

  /** The authority's own certificate, in PEM. */
  get pem(): string {
    return readFileSync(this.#in('ca.pem'), 'utf8');
  }

  /** Issues a certificate for 127.0.0.1. @returns the paths of the PEM files */
  issue(name: string, kind: keyof typeof KEYS): { readonly cert: string; readonly key: string } {
    const [cert, key, request, names] = ['pem', 'key', 'csr', 'ext'].map((end) => this.#in(`${name}.${end}`)) as [
      string,
      string,
      string,
      string,
    ];
    writeFileSync(names, 'subjectAltName=IP:127.0.0.1');
    this.#run('req', '-new', ...KEYS[kind], '-noenc', '-subj', `/CN=${name}`, '-keyout', key, '-out', request);
    const by = ['-CA', this.#in('ca.pem'), '-CAkey', this.#in('ca.key'), '-CAcreateserial'];
    this.#run('x509', '-req', '-in', request, ...by, '-days', '2', '-extfile', names, '-out', cert);
    return { cert, key };
  }

  #run(...args: readonly string[]): void {
    execFileSync('openssl', args, { stdio: 'ignore' });
  }

  #in(file: string): string {
    return join(this.folder, file);
  }
}
