import {
  argumentsOf,
  type Call,
  CALLS,
  exampleOf,
  LOCAL,
  nameOf,
  NOUNS,
  SETTINGS_FILE,
  type Value,
  WITHOUT_COMMAND,
  wordsOf,
} from '#command-line/calls';
import { TABLE } from './conventions.table.js';

/** Where the page of commands is. */
export const COMMANDS_PAGE = 'docs/commands.md';

const INTRODUCTION = `# Commands

\`npm run commands:page\` writes this page from the table of commands, \`libs/command-line/calls\`.

\`holdfast <noun> <verb>\` makes every call of operators and auditors; \`npm run ops -- <noun> <verb>\` is the same. \`--help\` after a noun or a verb explains it, with an example. [operating.md](operating.md#the-command-line) explains the address, the token and completion.

- **For programs**: \`--json\` prints only JSON on standard output, failures too. \`--csv\` prints what the tables have, with a line of names.
- **Pages**: commands marked with “pages” also take \`--page\`, \`--per-page\` and \`--count\`.
- **Lists**: commands marked with “list” also take \`--limit\` and \`--after\`; \`--all\` reads the whole list, as it comes.
- **Exit codes**: 0 done; 1 refused or not found; 2 wrong usage or credential; 3 no service, or not ready, or an answer that is not whole; 130 interrupted.
`;

const WITHOUT_CALL = `## Commands without a call

\`backup\`, \`restore\` and \`drill\` work with files and servers themselves: [Backup and restore](operating.md#backup-and-restore).
`;

/** The page of all commands, each beside its call. */
export function pageOfCommands(): string {
  const nouns = [...new Set(CALLS.map(({ noun }) => noun))];
  const sections = nouns.map((noun) => {
    const rows = CALLS.filter((call) => call.noun === noun).map((call) => [
      `\`${usageOf(call)}\``,
      `\`${call.route}\``,
      whoOf(call.route),
      `${wordsOf(call)}${markOf(call)}`,
    ]);
    const examples = CALLS.filter((call) => call.noun === noun).map((call) => `holdfast ${exampleOf(call)}`);
    const title = `## ${noun}\n\n${upper(NOUNS[noun] ?? noun)}.`;
    const table = tableOf(['command', 'call', 'for', 'what it does'], rows);
    return `${title}\n\n${table}\n\n\`\`\`sh\n${examples.join('\n')}\n\`\`\`\n`;
  });
  const without = Object.entries(WITHOUT_COMMAND).map(([route, reason]) => [`\`${route}\``, reason]);
  const rest = `## Calls without a command\n\n${tableOf(['call', 'why'], without)}\n`;
  return [INTRODUCTION, ...sections, pageOfLocal(), rest, WITHOUT_CALL].join('\n');
}

/** The commands that need no service. */
function pageOfLocal(): string {
  const rows = Object.values(LOCAL).map(({ name, words }) => [`\`${name} [--settings <…>]\``, words]);
  const examples = Object.values(LOCAL).map(({ example }) => `holdfast ${example}`);
  const words = `They look at the folder and the servers themselves, and ask a service if one runs. \`${SETTINGS_FILE.flags}\` names ${SETTINGS_FILE.words}. [operating.md](operating.md#when-something-is-wrong) explains each check.`;
  return `## Commands that need no service\n\n${words}\n\n${tableOf(['command', 'what it does'], rows)}\n\n\`\`\`sh\n${examples.join('\n')}\n\`\`\`\n`;
}

function usageOf(call: Call): string {
  const given = argumentsOf(call).map((name) => `<${call.arguments?.[name]?.as ?? name}>`);
  const body = call.kind === 'one' && call.body !== undefined ? ['--body <file>'] : [];
  const options = Object.entries(call.options ?? {}).map(([name, value]) => optionOf(name, value));
  return [nameOf(call), ...given, ...body, ...options].join(' ');
}

function optionOf(name: string, value: Value | string): string {
  const long = `--${name.replaceAll('_', '-')}`;
  const { parse, required, many }: Partial<Value> = typeof value === 'string' ? { parse: String } : value;
  const whole = parse === undefined ? long : `${long} ${many === true ? '<…,…>' : '<…>'}`;
  return required === true ? whole : `[${whole}]`;
}

function whoOf(route: string): string {
  switch (TABLE[route]?.who) {
    case 'operator':
      return 'operators';
    case 'auditor':
      return 'auditors, too';
    default:
      return 'everybody';
  }
}

function markOf({ kind }: Call): string {
  if (kind === 'page') return ' (pages)';
  return kind === 'list' ? ' (list)' : '';
}

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A table as the formatter writes it. */
function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
