import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.js';
import { tempFolder } from './temp-folder.js';

const INSTALLED = spawnSync('postconf', ['-dh', 'mail_version', 'daemon_directory'], { encoding: 'utf8' });
const [VERSION = '', DAEMONS = ''] = INSTALLED.status === 0 ? INSTALLED.stdout.trim().split('\n') : [];

/** The installed Postfix, for titles; undefined if there is none, or if nobody here may start it: only root may. */
export const POSTFIX = VERSION === '' || process.getuid?.() !== 0 ? undefined : `Postfix ${VERSION}`;

/** Postfix gives mails to no mailbox of root. */
const NOBODY = 65_534;
const PATIENCE = 240_000;

/** The processes of a small Postfix: it takes mails on one port, and delivers them to mailboxes of its own. */
const SERVICES = [
  'cleanup unix n - n - 0 cleanup',
  'qmgr unix n - n 300 1 qmgr',
  'tlsmgr unix - - n 1000? 1 tlsmgr',
  'rewrite unix - - n - - trivial-rewrite',
  ...['bounce', 'defer', 'trace'].map((name) => `${name} unix - - n - 0 bounce`),
  'proxymap unix - - n - - proxymap',
  'virtual unix - n n - - virtual',
  ...['error', 'retry'].map((name) => `${name} unix - - n - - error`),
  'anvil unix - - n - 1 anvil',
  'postlog unix-dgram n - n - 1 postlogd',
];

/** A Postfix of a test, with its own settings, queue and mailboxes. It touches nothing of the machine's own one. */
export class Postfix {
  readonly #folder = tempFolder();
  #child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly users: readonly string[],
  ) {}

  /**
   * @param certificate for TLS, which it then demands
   * @param users the names at example.test that have a mailbox
   */
  static async start(certificate: { cert: string; key: string }, users: readonly string[]): Promise<Postfix> {
    const postfix = new Postfix(await freePort(), users);
    postfix.#prepare(certificate);
    await postfix.#run();
    return postfix;
  }

  /** What it has logged. */
  get printed(): string {
    return existsSync(this.#in('log')) ? readFileSync(this.#in('log'), 'utf8') : '';
  }

  /** The mails in the mailbox of a user. */
  mailsOf(user: string): readonly Buffer[] {
    const box = this.#in('boxes', user, 'new');
    return existsSync(box) ? readdirSync(box).map((name) => readFileSync(join(box, name))) : [];
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null) {
      const exit = once(child, 'exit');
      spawnSync('postfix', ['-c', this.#in('etc'), 'stop'], { stdio: 'ignore' });
      await exit;
    }
    this.#folder.remove();
  }

  #prepare({ cert, key }: { readonly cert: string; readonly key: string }): void {
    chmodSync(this.#folder.path, 0o755);
    for (const name of ['etc', 'queue', 'data', 'boxes']) mkdirSync(this.#in(name), { mode: 0o755 });
    const owner = Number(spawnSync('id', ['-u', 'postfix'], { encoding: 'utf8' }).stdout);
    chownSync(this.#in('data'), owner, -1);
    chownSync(this.#in('boxes'), NOBODY, NOBODY);
    const settings = {
      compatibility_level: '3.6',
      queue_directory: this.#in('queue'),
      data_directory: this.#in('data'),
      daemon_directory: DAEMONS,
      // Its standard output would be a socket here, which it cannot open.
      maillog_file: this.#in('log'),
      maillog_file_prefixes: this.#folder.path,
      myhostname: 'mail.example.test',
      mydestination: '',
      inet_interfaces: '127.0.0.1',
      inet_protocols: 'ipv4',
      mynetworks: '127.0.0.0/8',
      smtpd_tls_security_level: 'encrypt',
      smtpd_tls_cert_file: cert,
      smtpd_tls_key_file: key,
      smtpd_tls_received_header: 'yes',
      // Where nothing answers for names, it should not wait for them.
      smtpd_peername_lookup: 'no',
      smtpd_relay_restrictions: 'reject_unauth_destination',
      virtual_mailbox_domains: 'example.test',
      virtual_mailbox_maps: `inline:{ ${this.users.map((user) => `${user}@example.test=${user}/`).join(', ')} }`,
      virtual_mailbox_base: this.#in('boxes'),
      virtual_uid_maps: `static:${NOBODY}`,
      virtual_gid_maps: `static:${NOBODY}`,
      alias_maps: '',
      local_recipient_maps: '',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
    writeFileSync(this.#in('etc', 'main.cf'), lines.join(''));
    const services = [`127.0.0.1:${this.port} inet n - n - - smtpd`, ...SERVICES];
    writeFileSync(this.#in('etc', 'master.cf'), `${services.join('\n')}\n`);
  }

  async #run(): Promise<void> {
    this.#child = spawn('postfix', ['-c', this.#in('etc'), 'start-fg'], { stdio: 'ignore' });
    for (let waited = 0; !(await this.#listens()); waited += 50) {
      if (waited > PATIENCE || this.#child.exitCode !== null) {
        const { printed } = this;
        await this.stop();
        throw new Error(`Postfix did not start: ${printed}`);
      }
      await pause(50);
    }
  }

  async #listens(): Promise<boolean> {
    const socket = connect(this.port, '127.0.0.1');
    try {
      await once(socket, 'data');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  #in(...names: readonly string[]): string {
    return join(this.#folder.path, ...names);
  }
}
