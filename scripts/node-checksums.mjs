/**
 * `npm run node:checksums`: downloads the packages of Node that package.json names, for all machines, compares each with
 * package-lock.json, and writes the SHA-256 of the program in it to `node-checksums.json`. Run it when such a version changes.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { sha256 } from './check-node.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

function runs(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** The checksum of the program in a package. @throws Error if the package is not the one in package-lock.json */
function checksumOf(name, version, { integrity }, folder) {
  const archive = runs('npm', ['pack', '--silent', `${name}@${version}`], folder);
  const found = `sha512-${createHash('sha512')
    .update(readFileSync(join(folder, archive)))
    .digest('base64')}`;
  if (found !== integrity) throw new Error(`${name}@${version} is not the package that package-lock.json names`);
  runs('tar', ['xzf', archive], folder);
  const unpacked = join(folder, 'package');
  const checksum = sha256(join(unpacked, readJson(join(unpacked, 'package.json')).bin.node));
  rmSync(unpacked, { recursive: true });
  return checksum;
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-node-'));
try {
  const { packages } = readJson(join(root, 'package-lock.json'));
  const checksums = {};
  for (const [name, version] of Object.entries(readJson(join(root, 'package.json')).optionalDependencies)) {
    checksums[`${name}@${version}`] = checksumOf(name, version, packages[`node_modules/${name}`], folder);
    process.stdout.write(`${name}@${version} ${checksums[`${name}@${version}`]}\n`);
  }
  writeFileSync(join(root, 'scripts/node-checksums.json'), `${JSON.stringify(checksums, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
