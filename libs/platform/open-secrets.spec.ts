import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../../test/support/temp-folder.js';
import { readConfig } from './config.js';
import { warningsOfOpenSecrets } from './open-secrets.js';

const unix = process.platform === 'win32' ? describe.skip : describe;

unix('G9: a private key that other users can read', () => {
  const folder = tempFolder();
  const key = join(folder.path, 'key.pem');
  beforeAll(() => writeFileSync(key, 'key'));
  afterAll(() => folder.remove());

  const CASES: readonly (readonly [name: string, env: Readonly<Record<string, string>>])[] = [
    ['TLS_KEY', { TLS_CERT: key, TLS_KEY: key }],
    [
      'DKIM_KEY',
      {
        DKIM_KEY: key,
        DKIM_DOMAIN: 'a.example',
        DKIM_SELECTOR: 's',
        MAIL_FROM: 'a@b.example',
        SMTP_URL: 'smtp://a.example',
      },
    ],
    [
      'EVENTSTORE_URL, option userKeyFile',
      { EVENTSTORE_URL: `esdb://a:1,b:2?tls=true&userCertFile=${key}&UserKeyFile=${encodeURIComponent(key)}` },
    ],
    ['MONGODB_URL, option tlsCertificateKeyFile', { MONGODB_URL: `mongodb://a:1,b:2/x?tlsCertificateKeyFile=${key}` }],
  ];

  it.each(CASES)('is warned of by the name of its setting, with the command to run: %s', (name, env) => {
    chmodSync(key, 0o644);
    expect(warningsOfOpenSecrets(readConfig(env))).toEqual([
      `${name}: other users can read or change ${key}: run chmod 600 ${key}`,
    ]);
    chmodSync(key, 0o600);
    expect(warningsOfOpenSecrets(readConfig(env))).toEqual([]);
  });

  it('is none where none is set', () => {
    expect(warningsOfOpenSecrets(readConfig({}))).toEqual([]);
  });
});
