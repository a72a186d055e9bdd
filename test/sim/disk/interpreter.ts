import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Call } from '../../campaigns/power/strace.js';
import type { File, Meaning, Operation, Recording } from './operations.js';
import { Pages } from './pages.js';

/** The calls that change files, names or what is durable; and those that tell somebody. */
export const CHANGING =
  'trace=openat,open,creat,write,writev,sendto,sendmsg,pwrite64,pwritev,pwritev2,ftruncate,truncate,fallocate,copy_file_range,' +
  'fsync,fdatasync,sync_file_range,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,mmap';

/** More than any write of SQLite or of the product. */
export const LONGEST_WRITE = 32 * 1024 * 1024;

const TELLING = new Set(['write', 'writev', 'sendto', 'sendmsg']);
/** Nobody uses these on the folder: their meaning here is unknown. */
const UNKNOWN = new Set([
  'pwritev',
  'pwritev2',
  'fallocate',
  'truncate',
  'copy_file_range',
  'sync_file_range',
  'rmdir',
]);

/** Calls that change nothing for those who look: it does not matter whether they were carried out. */
const HARMLESS = new Set(['fsync', 'fdatasync', 'mmap']);

/** The process was killed in a call, and the folder does not show whether it was carried out. Record again. */
export class Unclear extends Error {
  override name = 'Unclear';
}

type Moment = Pick<Operation, 'began' | 'returned'>;

/** SQLite's index of a WAL. It is shared memory: nobody syncs it, and the first connection makes it anew. */
export const isIndex = (path: string): boolean => path.endsWith('-shm');

/**
 * Reads the traces of processes that work on one folder, one after another. It keeps what the folder holds meanwhile, and so
 * can prove at the end of each process that the trace missed nothing (writes through mapped memory, for example).
 */
export class Interpreter {
  readonly #operations: Operation[] = [];
  readonly #starts: number[] = [];
  /** Files by their path. */
  readonly #paths = new Map<string, File>();
  readonly #content = new Map<File, Pages>();
  #next = 0;
  #end = 0;

  /** @param root an empty folder */
  constructor(readonly root: string) {}

  get recording(): Recording {
    const operations = this.#operations.toSorted((a, b) => a.began - b.began);
    return { root: this.root, operations, starts: this.#starts, end: this.#end };
  }

  /**
   * Adds the calls of a process that has ended.
   * @param unended calls in which it was killed: what the folder holds shows whether they were carried out
   * @throws Unclear; Error if the folder does not hold what the calls have made of it
   */
  add(calls: readonly Call[], unended: readonly Call[] = []): void {
    const from = this.#end;
    this.#starts.push(from);
    for (const call of calls) this.#add(call, { began: from + call.began, returned: from + call.returned });
    for (const call of calls) this.#end = Math.max(this.#end, from + call.returned + 1);
    for (const call of unended) {
      const isHere = call.text.includes(this.root) && !isIndex(call.file);
      if (call.name === 'pwrite64') this.#addIfDone(call, { began: from + call.began, returned: this.#end++ });
      else if (isHere && !HARMLESS.has(call.name)) throw new Unclear(`${call.name} may have been carried out, or not`);
    }
    this.#prove();
  }

  #addIfDone(call: Call, moment: Moment): void {
    const file = this.#paths.get(call.file);
    if (file === undefined) return;
    const [at, data] = [Number(/, (\d+)(?:\) += \?)?$/.exec(call.text)?.[1]), dataOf(call.text)];
    if (!existsSync(call.file) || Number.isNaN(at)) return;
    const found = readFileSync(call.file).subarray(at, at + data.length);
    if (found.equals(data)) this.#push({ ...moment, kind: 'write', file, at, data });
  }

  #add(call: Call, moment: Moment): void {
    if (Number.isNaN(call.result) || call.result < 0) return;
    if (call.name === 'mmap') this.#refuseMapped(call);
    else if (call.file.startsWith(`${this.root}/`) || call.file === this.root) this.#addOnFile(call, moment);
    else if (TELLING.has(call.name)) this.#addTold(call, moment);
    else this.#addOnPath(call, moment);
  }

  #addTold(call: Call, moment: Moment): void {
    if (!/HTTP\/1\.1 2\d\d /.test(call.text)) return;
    const request = /request-id: (\S+)/i.exec(call.text)?.[1];
    const position = BigInt(/holdfast-position: (\d+)/i.exec(call.text)?.[1] ?? 0);
    if (request !== undefined) this.#push({ ...moment, kind: 'told', request, position });
  }

  #addOnFile({ name, file: path, text }: Call, moment: Moment): void {
    if (isIndex(path)) return;
    if (UNKNOWN.has(name)) throw new Error(`${name} of ${path}: the replay does not know what that does`);
    const file = this.#paths.get(path);
    if (name === 'fsync' || name === 'fdatasync') {
      const folder = file === undefined ? path : dirname(path);
      this.#push({ ...moment, kind: 'sync', folder, file, path });
      return;
    }
    // A file that has lost its name: nobody opens it any more.
    if (file === undefined) return;
    if (name === 'ftruncate') {
      this.#push({ ...moment, kind: 'resize', file, size: Number(/^\d+<[^>]*>, (\d+)/.exec(text)?.[1]) });
    } else if (name === 'pwrite64') {
      const at = Number(/, (\d+)\) += \d+$/.exec(text)?.[1]);
      this.#push({ ...moment, kind: 'write', file, at, data: dataOf(text) });
    } else if (name === 'write') {
      // Everybody who writes without a place appends: to a file that they have just made or emptied, or by O_APPEND.
      const at = this.#content.get(file)?.size ?? 0;
      this.#push({ ...moment, kind: 'write', file, at, data: dataOf(text) });
    }
  }

  #addOnPath({ name, text }: Call, moment: Moment): void {
    const paths = [...text.matchAll(/"([^"]*)"/g)].map(([, path = '']) => path);
    const [first = '', second = ''] = paths;
    if (!first.startsWith(`${this.root}/`) || isIndex(first)) return;
    if (UNKNOWN.has(name)) throw new Error(`${name} of ${first}: the replay does not know what that does`);
    const as = (path: string, meaning: Meaning): readonly [string, Meaning] => [basename(path), meaning];
    const names = (...changes: (readonly [string, Meaning])[]): void =>
      this.#push({ ...moment, kind: 'names', folder: dirname(first), changes });
    const file = this.#paths.get(first);
    switch (name) {
      case 'openat':
      case 'open':
        if (file === undefined && text.includes('O_CREAT')) names(as(first, this.#next++));
        else if (file !== undefined && text.includes('O_TRUNC'))
          this.#push({ ...moment, kind: 'resize', file, size: 0 });
        break;
      case 'mkdir':
      case 'mkdirat':
        names(as(first, 'folder'));
        break;
      case 'unlink':
      case 'unlinkat':
        names(as(first, undefined));
        break;
      case 'link':
      case 'linkat':
        names(as(second, file));
        break;
      default:
        if (dirname(first) !== dirname(second)) throw new Error(`${name} from ${first} to another folder, ${second}`);
        names(as(first, undefined), as(second, file));
    }
  }

  /** SQLite maps its index. If it wrote a database through mapped memory, the trace would not show it. */
  #refuseMapped({ text }: Call): void {
    const path = /<([^>]*)>/.exec(text)?.[1] ?? '';
    if (path.startsWith(this.root) && !isIndex(path) && text.includes('MAP_SHARED') && text.includes('PROT_WRITE')) {
      throw new Error(`${path} is written through mapped memory, which the trace does not show`);
    }
  }

  #push(operation: Operation): void {
    this.#operations.push(operation);
    if (operation.kind === 'write') this.#contentOf(operation.file).write(operation.at, operation.data);
    else if (operation.kind === 'resize') this.#contentOf(operation.file).resize(operation.size);
    else if (operation.kind === 'names') {
      for (const [name, meaning] of operation.changes) {
        if (typeof meaning === 'number') this.#paths.set(join(operation.folder, name), meaning);
        else this.#paths.delete(join(operation.folder, name));
      }
    }
  }

  #contentOf(file: File): Pages {
    let content = this.#content.get(file);
    if (content === undefined) this.#content.set(file, (content = new Pages()));
    return content;
  }

  #prove(): void {
    const there = filesIn(this.root);
    const known = [...this.#paths.keys()].sort();
    if (there.join('\n') !== known.join('\n'))
      throw new Error(`the trace knows ${known.join(', ')}, and the folder has ${there.join(', ')}`);
    for (const [path, file] of this.#paths) {
      if (!readFileSync(path).equals(this.#contentOf(file).bytes()))
        throw new Error(`${path} does not hold what the trace has written to it`);
    }
  }
}

/** Every file below a folder except indexes of WALs, by path. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => !isIndex(path) && statSync(path).isFile())
    .sort();
}

/** What a call wrote. @throws Error if the trace has only its beginning */
function dataOf(text: string): Buffer {
  const from = text.indexOf('"') + 1;
  const to = text.lastIndexOf('"');
  const length = Number(/^"(\.\.\.)?, (\d+)/.exec(text.slice(to))?.[2]);
  if (to - from !== length) throw new Error(`the trace has ${to - from} of ${length} written bytes`);
  return Buffer.from(text.slice(from, to), 'latin1');
}
