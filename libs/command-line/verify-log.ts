import { SingleBar } from 'cli-progress';
import { parsedJson } from '#kernel';
import { CommandFailure, ExitCode } from './command-failure.js';
import { csvLine } from './csv.js';
import { type Output, writeLine } from './output.js';
import { printable } from './printable.js';
import type { Session } from './session.js';

/** A contradiction, as the service tells it. */
interface Finding {
  readonly kind: string;
  readonly where: string | null;
  readonly position: string | null;
  readonly what: string;
  readonly means: string;
}

/** How far the service is; each thread goes through the log of its own. */
interface Progress {
  readonly events: number;
  readonly of: number;
  readonly findings: number;
}

/** What was checked. */
interface End {
  readonly position: string;
  readonly events: number;
  readonly streams: number;
  readonly decisions: number;
  readonly followers: number;
  readonly snapshots: number;
  readonly rows: number;
  readonly sums: number;
  readonly charges: number;
  readonly ledger_lines: number | null;
  readonly findings: number;
  readonly seconds: number;
  readonly not_compared: readonly { readonly view: string; readonly reason: string }[];
}

interface Line {
  readonly finding?: Finding;
  readonly progress?: Progress;
  readonly end?: End;
}

const NAMES = ['kind', 'where', 'position', 'what', 'means'] as const;

/**
 * Checks the whole log, and tells each finding as it comes. Exits with 1 if there is one.
 * @throws CommandFailure if the answer breaks off
 */
export async function verifyLog({ service, output, interrupted, endWith }: Session): Promise<void> {
  const bar = barFor(output);
  let end: End | undefined;
  if (output.form === 'csv') await writeLine(output.out, csvLine(NAMES));
  try {
    for await (const text of service.lines('/auditors/verification', interrupted)) {
      const line = parsedJson(text) as Line | undefined;
      if (line === undefined) continue;
      if (line.progress !== undefined) bar.show(line.progress);
      if (line.finding !== undefined) bar.hide();
      if (output.form === 'json') await writeLine(output.out, text);
      else if (line.finding !== undefined) await writeFinding(output, line.finding);
      ({ end } = { end, ...line });
    }
  } finally {
    bar.hide();
  }
  if (end === undefined)
    throw new CommandFailure('The answer broke off: the log is not checked to its end.', ExitCode.unreachable);
  if (output.form === 'people') await writeLine(output.out, printable(wordsOf(end)));
  // Without it, a table of a sound log would be empty, as that of an answer that broke off.
  if (output.form === 'csv') await writeLine(output.out, csvLine(['end', null, end.position, wordsOf(end), null]));
  if (end.findings > 0) endWith(ExitCode.refused);
}

function writeFinding({ out, form }: Output, finding: Finding): Promise<void> {
  if (form === 'csv') return writeLine(out, csvLine(NAMES.map((name) => finding[name])));
  const { where, position, what, means } = finding;
  const at = position === null ? '' : ` (position ${position})`;
  return writeLine(out, printable(`${where ?? 'the log'}${at}: ${what}\n  ${means}`));
}

function wordsOf(end: End): string {
  const { events, streams, decisions, followers, snapshots, rows, sums, charges, ledger_lines, seconds } = end;
  const ledger =
    ledger_lines === null
      ? 'the gateway’s ledger was not asked'
      : `${ledger_lines} lines of the gateway’s ledger, ${charges} charges`;
  const speed = seconds > 0 ? `, ${Math.round(events / seconds)} events/s` : '';
  return [
    `Checked ${events} events up to position ${end.position} in ${seconds} s${speed}: ${streams} streams, ${decisions} followers of decisions, ` +
      `${followers} events with their decisions, ${sums} sums, ${snapshots} snapshots, ${rows} rows of views; ${ledger}.`,
    ...end.not_compared.map(({ view, reason }) => `Not compared: the view ${view}: ${reason}.`),
    end.findings === 0 ? 'The log is sound.' : `${end.findings} findings.`,
  ].join('\n');
}

interface Bar {
  show(progress: Progress): void;
  hide(): void;
}

/** A bar in a terminal, and nothing elsewhere. */
function barFor({ err, form }: Output): Bar {
  if (err.isTTY !== true || form === 'json') return { show: () => undefined, hide: () => undefined };
  let bar: SingleBar | undefined;
  return {
    show({ events, of, findings }) {
      if (bar === undefined) {
        bar = new SingleBar({
          format: 'verify [{bar}] {percentage} % | {findings} findings | {eta_formatted} left',
          barsize: 30,
          hideCursor: true,
          stream: err,
        });
        bar.start(Math.max(1, of), events, { findings });
      } else bar.update(events, { findings });
    },
    hide() {
      bar?.stop();
      bar = undefined;
    },
  };
}
