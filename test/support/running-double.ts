import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { ClusterControl } from './eventstoredb/cluster-control.js';
import type { DoubleControl } from './eventstoredb/control.js';
import { controlAt } from './eventstoredb/control-port.js';

/** The double in a process of its own, which tests can kill and freeze. */
export class RunningDouble<Control extends DoubleControl = DoubleControl> {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    /** What an administrator, another application or a fault does to it. */
    readonly control: Control,
  ) {}

  /** Starts it and waits until it listens. */
  static start(...options: string[]): Promise<RunningDouble> {
    return RunningDouble.#start(options);
  }

  /** The same for a cluster of three nodes. */
  static startCluster(...options: string[]): Promise<RunningDouble<ClusterControl>> {
    return RunningDouble.#start(['--nodes=3', ...options]);
  }

  static async #start<Control extends DoubleControl>(options: readonly string[]): Promise<RunningDouble<Control>> {
    const main = resolve('dist/test/support/eventstoredb/main.js');
    const child = spawn(process.execPath, [main, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as [unknown];
    const [, url, control] = /ready at (\S+) control at (\S+)/.exec(String(line)) ?? [];
    if (url === undefined || control === undefined) throw new Error('the double did not start');
    return new RunningDouble(child, url, controlAt<Control>(control));
  }

  async kill(): Promise<void> {
    if (this.child.signalCode === null && this.child.kill('SIGKILL')) await once(this.child, 'exit');
  }
}
