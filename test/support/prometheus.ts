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

/** A Prometheus of a test, which reads the metrics of some processes every second. */
export class Prometheus {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** Starts one in a folder, and waits until it has read the metrics twice. */
  static async start(folder: string, targets: readonly string[], token: string, rules: string): Promise<Prometheus> {
    const port = await freePort();
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [
        {
          job_name: 'holdfast',
          authorization: { credentials: token },
          static_configs: [{ targets: targets.map((target) => new URL(target).host) }],
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
      if (found.length === targets.length && found.every(({ value }) => Number(value[1]) >= 3)) return prometheus;
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

  /** The rules that fire now, and those that will if it stays as it is; each with its state. */
  async alerts(): Promise<ReadonlyMap<string, 'pending' | 'firing'>> {
    const found = await this.ask('ALERTS');
    return new Map(
      found
        .map(({ metric }) => [metric['alertname'] ?? '', metric['alertstate'] as 'pending' | 'firing'] as const)
        // One that fires for one process may be pending for another.
        .toSorted(([, one], [, other]) => (one === other ? 0 : one === 'pending' ? -1 : 1)),
    );
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}
