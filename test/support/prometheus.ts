import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.js';

const version = (program: string): string | undefined => {
  const { status, stdout, stderr } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 ? /version (\S+)/.exec(`${stdout}${stderr}`)?.[1]?.replace(/,$/, '') : undefined;
};

/** The installed Prometheus with its promtool, for titles; undefined if one of them is missing. */
export const PROMETHEUS =
  version('promtool') === undefined || version('prometheus') === undefined
    ? undefined
    : `Prometheus ${version('prometheus')}`;

/** What promtool says, and whether it is content. */
export function promtool(
  args: readonly string[],
  input?: string,
): { readonly isSound: boolean; readonly says: string } {
  const { status, stdout, stderr } = spawnSync('promtool', [...args], { encoding: 'utf8', input, timeout: 120_000 });
  return { isSound: status === 0, says: `${stdout}${stderr}` };
}

/** A value that Prometheus has found. */
export interface Found {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** A Prometheus of a test, which reads the metrics of one address. */
export class Prometheus {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** Starts one in a folder, and waits until it has read the metrics twice. */
  static async start(folder: string, target: string, token: string, rules: string): Promise<Prometheus> {
    const port = await freePort();
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [
        {
          job_name: 'holdfast',
          authorization: { credentials: token },
          static_configs: [{ targets: [new URL(target).host] }],
        },
      ],
    };
    const file = join(folder, 'prometheus.yml');
    writeFileSync(file, JSON.stringify(config));
    const args = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
    const child = spawn('prometheus', [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
    const prometheus = new Prometheus(child, `http://127.0.0.1:${port}`);
    for (;;) {
      if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`);
      const found = await prometheus.ask('count_over_time(up{job="holdfast"}[1m])').catch(() => []);
      if (Number(found[0]?.value[1] ?? 0) >= 3) return prometheus;
      await pause(200);
    }
  }

  /** What a query finds now. @throws Error with what is wrong with the query */
  async ask(query: string): Promise<readonly Found[]> {
    const answer = await fetch(`${this.url}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { status, data, error } = (await answer.json()) as {
      readonly status: string;
      readonly error?: string;
      readonly data?: { readonly resultType: string; readonly result: readonly Found[] };
    };
    if (status !== 'success') throw new Error(`${query}: ${error ?? 'no answer'}`);
    return data?.result ?? [];
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}
