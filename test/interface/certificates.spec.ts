import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectPlain } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Authority, hasOpenssl } from '../support/certificates.js';
import { RunningService, type TestPartner } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

if (!hasOpenssl)
  process.stderr.write('openssl is missing on this machine: the tests of TLS in the service (A3) DID NOT RUN.\n');

const CHANGED_WITHIN = 240_000;

(hasOpenssl ? describe : describe.skip)('a service with a certificate', () => {
  const folder = tempFolder();
  let authority: Authority;
  let files: { readonly cert: string; readonly key: string };
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    authority = new Authority(folder.path);
    files = { cert: join(folder.path, 'live.pem'), key: join(folder.path, 'live.key') };
    put('first', 'RSA');
    chmodSync(files.key, 0o644);
    service = await RunningService.start({ ca: authority.pem, env: { TLS_CERT: files.cert, TLS_KEY: files.key } });
    acme = await service.newPartner('acme');
    await service.newDeal('lunch');
  });
  afterAll(async () => {
    await service.discard();
    folder.remove();
  });

  function put(name: string, kind: 'RSA' | 'EC'): void {
    const issued = authority.issue(name, kind);
    copyFileSync(issued.key, files.key);
    copyFileSync(issued.cert, files.cert);
  }

  const open = (options: object = {}): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const socket = connect(
        { host: '127.0.0.1', port: Number(new URL(service.url).port), ca: authority.pem, ...options },
        () => resolve(socket),
      );
      socket.once('error', reject);
    });

  /** The name in the certificate that a new connection gets. */
  async function shown(): Promise<string> {
    const socket = await open();
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return String(CN);
  }

  async function until(name: string): Promise<void> {
    const end = Date.now() + CHANGED_WITHIN;
    while ((await shown()) !== name) {
      if (Date.now() > end) throw new Error(`the service still shows ${await shown()}`);
      await pause(100);
    }
  }

  it('5.1, A3, 5: ends TLS itself, and the addresses in its answers begin with https', async () => {
    expect(service.url).toMatch(/^https:/);
    const { status, body } = await service.look('/deals/lunch', acme.key);
    expect([status, body.deal.show_url]).toEqual([200, `${service.url}/deals/lunch`]);
    const held = await service.ask('POST', '/v1/purchases/reserve.json', {
      key: acme.key,
      body: { deal_id: 'lunch', num_bought: 1 },
    });
    expect(held.status).toBe(200);
  });

  it('A3: speaks nothing older than TLS 1.2, and nothing without TLS', async () => {
    await expect(open({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' })).rejects.toThrow();
    const socket = connectPlain({ host: '127.0.0.1', port: Number(new URL(service.url).port) });
    socket.end('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    let received = '';
    try {
      for await (const chunk of socket) received += String(chunk);
    } catch {
      // A broken connection is an answer, too.
    }
    expect(received).not.toContain('success');
  });

  it('A3: accepts only TLS 1.2 ciphers with forward secrecy, before and after the files change', async () => {
    const old = { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA:@SECLEVEL=0' };
    await expect(open(old)).rejects.toThrow();
    put('second', 'RSA');
    await until('second');
    await expect(open(old)).rejects.toThrow();
    const socket = await open({ maxVersion: 'TLSv1.2' });
    expect(socket.getCipher().name).toMatch(/^ECDHE-/);
    socket.destroy();
    put('first', 'RSA');
    await until('first');
  });

  const onUnix = process.platform === 'win32' ? it.skip : it;
  onUnix('A3, G9: warns of a key that other users can read, at the start and when it has changed', async () => {
    const warning = `TLS_KEY: other users can read or change ${files.key}: run chmod 600 ${files.key}`;
    const times = (): number => service.printed.split(warning).length - 1;
    await service.prints(warning);
    const before = times();
    put('second', 'RSA');
    chmodSync(files.key, 0o644);
    await until('second');
    const end = Date.now() + CHANGED_WITHIN;
    while (times() === before) {
      if (Date.now() > end) throw new Error('no warning');
      await pause(100);
    }
    put('first', 'RSA');
    await until('first');
  });

  it('A3: tells browsers to insist on HTTPS', async () => {
    const { headers } = await service.ask('GET', '/health/live');
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it('A3: switches to changed files, keeps open connections, and ignores files that do not fit', async () => {
    expect(await shown()).toBe('first');
    const standing = await open();
    put('second', 'EC');
    await until('second');
    standing.write(`GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let received = '';
    for await (const chunk of standing) received += String(chunk);
    expect(received).toMatch(/^HTTP\/1\.1 200 /);

    copyFileSync(authority.issue('third', 'EC').cert, files.cert);
    const end = Date.now() + CHANGED_WITHIN;
    while (!service.printed.includes('the changed certificate cannot be used')) {
      if (Date.now() > end) throw new Error('the change was not noticed');
      await pause(100);
    }
    expect(await shown()).toBe('second');
    copyFileSync(join(folder.path, 'third.key'), files.key);
    await until('third');
    expect((await service.look('/deals/lunch', acme.key)).status).toBe(200);
  });

  it('A3, G9: stops at the start with the name of a file that is missing, has other content, or does not fit', async () => {
    const { cert, key } = authority.issue('one', 'EC');
    const other = authority.issue('other', 'RSA');
    const nonsense = join(folder.path, 'nonsense.pem');
    writeFileSync(nonsense, 'nothing');
    const missing = join(folder.path, 'missing.pem');
    const pipe = join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const large = join(folder.path, 'large.pem');
    writeFileSync(large, '');
    truncateSync(large, 2 ** 32);
    for (const [env, words] of [
      [{ TLS_CERT: cert }, 'TLS_KEY must be set too, because TLS_CERT is set'],
      [{ TLS_KEY: key }, 'TLS_CERT must be set too, because TLS_KEY is set'],
      [
        { TLS_CERT: missing, TLS_KEY: key },
        `TLS_CERT: ${missing} must be a PEM file that the service can read, but it does not exist (ENOENT)`,
      ],
      [
        { TLS_CERT: cert, TLS_KEY: folder.path },
        `TLS_KEY: ${folder.path} must be a PEM file that the service can read, but it is a folder`,
      ],
      [
        { TLS_CERT: pipe, TLS_KEY: key },
        `TLS_CERT: ${pipe} must be a PEM file that the service can read, but it is a pipe`,
      ],
      [
        { TLS_CERT: cert, TLS_KEY: large },
        `TLS_KEY: ${large} must be a PEM file that the service can read, of at most 1048576 bytes`,
      ],
      [{ TLS_CERT: nonsense, TLS_KEY: key }, `TLS_CERT: ${nonsense} must hold a certificate in PEM`],
      [
        { TLS_CERT: cert, TLS_KEY: nonsense },
        `TLS_KEY: ${nonsense} must hold a private key in PEM, without a passphrase`,
      ],
      [
        { TLS_CERT: cert, TLS_KEY: other.key },
        `TLS_KEY: ${other.key} must hold the key of the first certificate in ${cert}`,
      ],
    ] as const) {
      const start = RunningService.start({ dataDir: join(folder.path, 'data'), env });
      await expect(start).rejects.toThrow(words);
    }
  });
});
