import { spawnSync } from 'node:child_process';

const TOOL = 'tools/certificate.py';

/** Whether this machine has the Python that the tool needs. */
export const HAS_PYTHON =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], { stdio: 'ignore' }).status === 0;

if (!HAS_PYTHON)
  process.stderr.write(`\nSKIPPED: there is no python3 from 3.9 on, so nothing compares ${TOOL} with the service.\n\n`);

/** What the tool printed, and its exit code. */
export interface Printed {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `tools/certificate.py` with the lines of an export on its standard input. */
export function runTool(lines: string, ...options: readonly string[]): Printed {
  const { status, stdout, stderr } = spawnSync('python3', [TOOL, ...options], {
    input: lines,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: status, out: stdout, err: stderr };
}
