import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { readWithin, syncFolder } from '#files';
import { FILES } from '#kernel/bounds';
import { parsedJson } from '#kernel';
import type { BackupFolder } from './backup-folder.js';
import { damaged } from './damaged.js';
import { sha256 } from './file-seal.js';
import { NO_SEGMENT, tailPath } from './manifest.js';

/** Bytes of a block's head. It ends with a line feed. */
const HEAD = 256;

interface Head {
  readonly block: number;
  readonly bytes: number;
  readonly sha256: string;
  /** The hash of the head before it and of all before this. */
  readonly chain: string;
}

/** Lines that follow the last copy of a backup: a file that grows block by block, each durable before the next one. */
export class TailWriter {
  #block = 0;
  #isClosed = false;
  #chain = NO_SEGMENT;

  private constructor(
    private readonly folder: BackupFolder,
    private readonly installation: string,
    private readonly path: string,
    private readonly descriptor: number,
  ) {}

  /** Begins a tail. */
  static begin(folder: BackupFolder, installation: string, number: number): TailWriter {
    const path = tailPath(number);
    const file = folder.fileOf(path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(file, 'w', 0o600);
    fsyncSync(descriptor);
    syncFolder(dirname(file));
    syncFolder(folder.path);
    return new TailWriter(folder, installation, path, descriptor);
  }

  /** Adds a block, durable when it returns. @param lines without line feeds */
  async add(lines: readonly string[]): Promise<void> {
    const block = (this.#block += 1);
    const name = `${this.installation}/${this.path}/${block}`;
    const bytes = await this.folder.seal.seal(name, lines.map((line) => `${line}\n`).join(''));
    const plain = { block, bytes: bytes.length, sha256: sha256(bytes) };
    this.#chain = chainOf(this.#chain, plain);
    const head = JSON.stringify({ ...plain, chain: this.#chain } satisfies Head);
    const whole = Buffer.concat([Buffer.from(`${head.padEnd(HEAD - 1)}\n`), bytes]);
    for (let at = 0; at < whole.length;) at += writeSync(this.descriptor, whole, at);
    fsyncSync(this.descriptor);
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.descriptor);
    this.#isClosed = true;
  }
}

/**
 * The lines of a tail, block by block. A last block that is not whole is left out: the process that wrote it was killed.
 * @throws BackupRefused that names the file if it is missing, or a block is damaged
 */
export async function readTail(
  folder: BackupFolder,
  installation: string,
  number: number,
): Promise<readonly (readonly string[])[]> {
  const path = tailPath(number);
  const file = folder.fileOf(path);
  if (!existsSync(file)) throw damaged(file, 'is missing');
  const all = readWithin(file, FILES.backupPart);
  if (all === undefined) throw damaged(file, `is larger than ${FILES.backupPart} bytes`);
  const blocks: (readonly string[])[] = [];
  let chain = NO_SEGMENT;
  for (let at = 0; all.length - at >= HEAD;) {
    const block = blocks.length + 1;
    const head = parsedJson(all.toString('utf8', at, at + HEAD)) as Head | undefined;
    const plain = { block, bytes: head?.bytes ?? 0, sha256: head?.sha256 ?? '' };
    const expected = `${JSON.stringify({ ...plain, chain: chainOf(chain, plain) }).padEnd(HEAD - 1)}\n`;
    if (all.toString('utf8', at, at + HEAD) !== expected) throw damaged(file, `is damaged at its block ${block}`);
    const bytes = all.subarray(at + HEAD, at + HEAD + plain.bytes);
    if (bytes.length < plain.bytes) break;
    const text =
      sha256(bytes) === plain.sha256 ? await folder.seal.open(`${installation}/${path}/${block}`, bytes) : undefined;
    if (text === undefined) throw damaged(file, `is damaged at its block ${block}`);
    blocks.push(text.toString().split('\n').slice(0, -1));
    chain = chainOf(chain, plain);
    at += HEAD + plain.bytes;
  }
  return blocks;
}

function chainOf(chain: string, plain: Omit<Head, 'chain'>): string {
  return sha256(chain + JSON.stringify(plain));
}
