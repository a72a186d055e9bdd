import { Argument, type Command } from 'commander';
import { parsedJson } from '#kernel';
import { INTEGERS, TEXTS } from '#kernel/bounds';
import { textWithin, wholeNumber } from './arguments.js';
import { CommandFailure, ExitCode } from './command-failure.js';
import { type Output, printable, table, write, writeLine } from './output.js';
import type { Session } from './session.js';

/** An event, as the service shows it to auditors (ruling G7). */
interface AuditedEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly words: string;
  readonly time: string;
  readonly actor: string;
}

/** How far the service has read the log. */
interface Progress {
  readonly position: string;
  readonly events: number;
  readonly read: number;
}

type Line = AuditedEvent | { readonly progress: Progress } | { readonly end: Progress };

const TITLES = ['POSITION', 'TIME', 'ACTOR', 'TYPE', 'EVENT', 'WORDS'];
/** Columns of the log: its lines are printed as they come, so nobody knows the longest cell. */
const WIDTHS = [12, 24, 60, 32, 44];

/** The commands `events …` (rulings G7, G8): show events of one stream, and of the whole log. */
export function addEvents(program: Command, session: () => Session): void {
  const noun = program.command('events').description('show events of the log, for auditors');

  noun
    .command('stream')
    .description('lists events of one stream, such as deal-tram-28')
    .addArgument(new Argument('<stream>', 'the name of a stream').argParser(textWithin(TEXTS.line.most)))
    .option('--from <revision>', 'the revision of the first event (0)', wholeNumber(INTEGERS.count))
    .option('--limit <n>', 'how many events (100)', wholeNumber(INTEGERS.perPage))
    .action(async (stream: string, options: { readonly from?: string; readonly limit?: string }) => {
      const { service, output } = session();
      const path = `/auditors/streams/${encodeURIComponent(stream)}?${queryOf(options)}`;
      const { events, next } = await service.ask<{ events: readonly AuditedEvent[]; next: number | null }>('GET', path);
      const more = next === null ? '' : `\nThere are more: go on with --from ${next}.`;
      write(output, { stream, events, next }, `${table(TITLES, events.map(cellsOf))}${more}`);
    });

  noun
    .command('log')
    .description('reads the whole log, one event per line (with --json: lines of JSON with all data)')
    .option('--from <from>', 'the first event: a position, or a moment such as 2026-11-01T00:00:00Z', bounded())
    .option('--to <to>', 'the last event: a position, or a moment', bounded())
    .option('--actor <actor>', 'a whole actor, or its beginning before a /, such as partner:acme', bounded())
    .option('--type <types>', 'types with commas between them, such as deal-changed,deal-moved', bounded())
    .action(async (options: Readonly<Record<string, string>>) => {
      const { service, output, interrupted } = session();
      let isTitled = output.json;
      let end: Progress | undefined;
      for await (const text of service.lines(`/auditors/log?${queryOf(options)}`, interrupted)) {
        const line = parsedJson(text) as Line | undefined;
        if (line === undefined) continue;
        if (!isTitled) await writeLine(output.out, row(TITLES));
        isTitled = true;
        if ('end' in line) ({ end } = line);
        else if ('progress' in line) tell(output, line.progress);
        if (output.json) await writeLine(output.out, text);
        else if ('stream' in line) await writeLine(output.out, printable(row(cellsOf(line))));
      }
      if (end === undefined) throw new CommandFailure('The answer broke off: it is not whole.', ExitCode.unreachable);
      const { events, read, position } = end;
      output.err.write(printable(`${events} of ${read} events, up to position ${position}\n`));
    });
}

const bounded = (): ((text: string) => string) => textWithin(TEXTS.line.most);

const queryOf = (options: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(
    Object.entries(options).filter((each): each is [string, string] => each[1] !== undefined),
  ).toString();

const cellsOf = ({ position, time, actor, type, stream, revision, words }: AuditedEvent): readonly string[] => [
  position,
  time,
  actor,
  type,
  `${stream}@${revision}`,
  words,
];

const row = (cells: readonly string[]): string => cells.map((cell, at) => cell.padEnd(WIDTHS[at] ?? 0)).join('  ');

function tell({ err, json }: Output, { position, read }: Progress): void {
  if (err.isTTY === true && !json) err.write(printable(`read ${read} events, up to position ${position}\n`));
}
