import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { newDataDir, Program } from '../support/program.js';

/** No server listens there, and a start asks none. */
const MAILS = { SMTP_URL: 'smtp://127.0.0.1:9?tls=false', MAIL_FROM: 'deals@example.com' };
const WITHIN = 240_000;

describe('H3: a service that sends mails to people', () => {
  const folder = newDataDir();
  let program: Program | undefined;
  afterEach(async () => {
    await program?.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['warns without PUBLIC_URL, because links in mails would lead to its own address', {}, true],
    ['does not warn with it', { PUBLIC_URL: 'https://deals.example.com' }, false],
  ])('%s', async (_, env, warns) => {
    program = Program.startInHost('apps/api/main.js', {
      PORT: '0',
      DATA_DIR: folder,
      DEMO: 'false',
      ...MAILS,
      ...env,
    });
    await program.waitFor(/is ready at (\S+)/, WITHIN);
    expect(await program.end('SIGTERM')).toBe(0);
    expect(program.printed.includes('set PUBLIC_URL to the public URL of the service')).toBe(warns);
  });
});
