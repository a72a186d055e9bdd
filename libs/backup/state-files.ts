import type { BackupFolder } from './backup-folder.js';
import { type Copy, type Manifest, statePath } from './manifest.js';
import { type KeptLine, nameOfLine } from './state-line.js';

/** About the most characters of a state file. */
const CHARACTERS = 16 * 1024 * 1024;

/** The state files of a copy, one after another. */
export class StateFiles {
  readonly #files: Copy['state'] = [];
  #texts: string[] = [];
  #characters = 0;

  /** @param before how many files the copy has already */
  constructor(
    private readonly folder: BackupFolder,
    private readonly manifest: Pick<Manifest, 'installation'>,
    private readonly name: string,
    private readonly before = 0,
  ) {}

  async add(line: KeptLine): Promise<void> {
    const text = JSON.stringify(line);
    this.#texts.push(text);
    this.#characters += text.length;
    if (this.#characters >= CHARACTERS) await this.#write();
  }

  /** Writes the last one. @returns all of them */
  async finish(): Promise<Copy['state']> {
    if (this.#texts.length > 0) await this.#write();
    return this.#files;
  }

  async #write(): Promise<void> {
    const number = this.before + this.#files.length + 1;
    const text = this.#texts.map((each) => `${each}\n`).join('');
    const path = statePath({ name: this.name }, number);
    this.#files.push({ number, ...(await this.folder.write(this.manifest.installation, path, text)) });
    this.#texts = [];
    this.#characters = 0;
  }
}

/** The last line of each name; lines of a ledger all stay. */
export function latestOf(lines: readonly KeptLine[]): readonly KeptLine[] {
  const latest = new Map<string, KeptLine>();
  for (const [at, line] of lines.entries()) {
    const name = line.kind === 'ledger' || line.kind === 'erasure' ? `${line.kind} ${at}` : nameOfLine(line);
    latest.delete(name);
    latest.set(name, line);
  }
  return [...latest.values()];
}
