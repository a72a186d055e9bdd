import { spawnSync } from 'node:child_process';
import { DryMongoBinary, MongoBinary } from 'mongodb-memory-server-core';
import { MongoBinaryDownloadUrl } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js';

/** Milliseconds to wait for the download host: without a network nobody should wait long. */
const PATIENCE = 3_000;

/** The path of a mongod: one downloaded before, one downloaded now, or the machine's own. */
export async function mongod(): Promise<string | undefined> {
  const options = await DryMongoBinary.generateOptions();
  const cached = await DryMongoBinary.locateBinary(options);
  if (cached !== undefined) return cached;
  if (await answers(await new MongoBinaryDownloadUrl(options).getDownloadUrl())) return MongoBinary.getPath();
  return spawnSync('mongod', ['--version']).status === 0 ? 'mongod' : undefined;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(PATIENCE) })).ok;
  } catch {
    return false;
  }
}
