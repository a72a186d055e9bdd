import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';

/** An instruction of a Dockerfile: its name, and what follows in one line. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Reads a Dockerfile: lines that end with a backslash go on, and comments are left out. */
export function instructionsIn(text: string): readonly Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === undefined || rest === undefined) throw new Error(`${line} is no instruction`);
    return { name, rest };
  });
}

/** What a container of the image would start, without a container. */
export interface Image {
  readonly user: string | undefined;
  /** The command line, and the folder and the environment that it runs in. */
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly exposed: readonly string[];
}

/** A stage of a build: a folder that stands for the root of its file system. */
interface Stage {
  readonly root: string;
  folder: string;
  readonly environment: Record<string, string>;
}

/**
 * Carries out a Dockerfile as far as that is possible without a daemon: each stage is a folder instead of a file system, and its
 * commands run with the programs of this machine. Absolute paths of the image are those of the folder; `chown` does nothing,
 * because the users of the image are not here.
 * @param parts.context the folder of `docker build`
 * @param parts.work an empty folder for the stages
 * @param parts.node the Node of the image
 * @throws Error with what a command has printed if it fails
 */
export function buildWithoutDocker({
  context,
  work,
  node,
}: {
  readonly context: string;
  readonly work: string;
  readonly node: string;
}): Image {
  const shims = join(work, 'shims');
  mkdirSync(shims);
  writeFileSync(join(shims, 'chown'), '#!/bin/sh\n');
  chmodSync(join(shims, 'chown'), 0o755);
  const path = [shims, dirname(node), process.env['PATH']].join(':');
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  let image: Image = { user: undefined, command: [], healthCheck: [], folder: '', environment: {}, exposed: [] };
  const present = (): Stage => {
    if (stage === undefined) throw new Error('an image begins with FROM');
    return stage;
  };
  for (const { name, rest } of instructionsIn(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    switch (name) {
      case 'FROM': {
        const [, base = '', as] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
        if (!base.startsWith('node:')) throw new Error(`${base}: only images of Node are known`);
        const root = join(work, `stage-${stages.size}`);
        mkdirSync(root);
        stage = { root, folder: '/', environment: {} };
        stages.set(as ?? String(stages.size), stage);
        break;
      }
      case 'WORKDIR':
        present().folder = rest;
        mkdirSync(join(present().root, rest), { recursive: true });
        break;
      case 'ENV':
        for (const [, key = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) present().environment[key] = value;
        break;
      case 'COPY':
        copy(present(), rest, context, stages);
        break;
      case 'RUN':
        run(present(), rest, path);
        break;
      case 'USER':
        image = { ...image, user: rest };
        break;
      case 'EXPOSE':
        image = { ...image, exposed: [...image.exposed, rest] };
        break;
      case 'CMD':
        image = { ...image, command: JSON.parse(rest) as string[] };
        break;
      case 'HEALTHCHECK':
        image = { ...image, healthCheck: JSON.parse(rest.slice(rest.indexOf('CMD') + 3)) as string[] };
        break;
      case 'ARG':
      case 'VOLUME':
        break;
      default:
        throw new Error(`${name} is not known here`);
    }
  }
  const { root, folder, environment } = present();
  const own = Object.entries(environment).map(([key, value]) => [
    key,
    value.startsWith('/') ? join(root, value) : value,
  ]);
  return { ...image, folder: join(root, folder), environment: { ...Object.fromEntries(own), PATH: path } };
}

/** What .dockerignore lets into the build: this one names with `!` what is not ignored. */
function isInContext(context: string, source: string): boolean {
  const lines = readFileSync(join(context, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  if (lines[0] !== '**') throw new Error('.dockerignore must begin with **');
  return lines.slice(1).some((line) => source === line.slice(1) || source.startsWith(`${line.slice(1)}/`));
}

function copy(stage: Stage, rest: string, context: string, stages: ReadonlyMap<string, Stage>): void {
  const words = rest.split(/\s+/);
  const from = words[0]?.startsWith('--from=') === true ? words.shift()?.slice('--from='.length) : undefined;
  const to = words.pop() ?? '';
  const root = from === undefined ? context : stages.get(from)?.root;
  if (root === undefined) throw new Error(`there is no stage ${from}`);
  for (const source of words) {
    if (from === undefined && !isInContext(context, source)) throw new Error(`.dockerignore leaves ${source} out`);
    const target = join(stage.root, posix.resolve(stage.folder, to));
    const found = globSync(join(root, source));
    if (found.length === 0) throw new Error(`${source} is not there`);
    cpSync(join(root, source), to.endsWith('/') ? join(target, basename(source)) : target, { recursive: true });
  }
}

function run({ root, folder, environment }: Stage, command: string, path: string): void {
  // The image's own folders lie in that of the stage.
  const mapped = command.replaceAll(/(?<=\s)\/(?=\w)/g, `${root}/`);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', mapped], {
    cwd: join(root, folder),
    env: { HOME: process.env['HOME'], ...environment, PATH: path },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`${command} has failed:\n${stdout}${stderr}`);
}
