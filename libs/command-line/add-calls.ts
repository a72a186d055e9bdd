import { Argument, type Command, Option } from 'commander';
import { COMMAND_LINE, INTEGERS } from '#kernel/bounds';
import { argumentsOf, type Call, exampleOf, type Given, type Value, wordsOf } from './calls/call.js';
import { NOUNS } from './calls/index.js';
import { flag, integer, oneMore, required, text } from './calls/values.js';
import { carryOut } from './carry-out.js';
import type { Session } from './session.js';

/** The options of each kind of command. */
const OF_KIND: Readonly<Record<Call['kind'], Readonly<Record<string, Value>>>> = {
  one: {},
  own: {},
  page: {
    page: integer('which page (1)', INTEGERS.page),
    per_page: integer('how many of a page (100)', INTEGERS.perPage),
    count: flag('says only how many there are'),
  },
  list: {
    limit: integer('how many at most', INTEGERS.perPage),
    after: text('what the last part named as the next', COMMAND_LINE.part),
    all: flag('lists all of them, as they come'),
  },
};

/** An option of a command, with the route's name of its parameter. */
interface NamedOption {
  readonly name: string;
  readonly value: Value;
  readonly option: Option;
}

/**
 * Adds a command for each call of the table: `<noun> <verb>`.
 * @param session makes what a command works with, after the options are parsed
 */
export function addCalls(program: Command, calls: readonly Call[], session: () => Session): void {
  for (const noun of new Set(calls.map((call) => call.noun))) {
    const group = program.command(noun).description(NOUNS[noun] ?? noun);
    for (const call of calls.filter((each) => each.noun === noun))
      addCall(call.verb === '' ? group : group.command(call.verb), call, session);
  }
}

function addCall(command: Command, call: Call, session: () => Session): void {
  const names = argumentsOf(call);
  const options = optionsOf(call);
  command
    .description(wordsOf(call))
    .addHelpText('after', `\nExample: ${programOf(command)} ${exampleOf(call)}\nThe call: ${call.route}`);
  for (const name of names) command.addArgument(argumentOf(name, call.arguments?.[name]));
  for (const { option } of options) command.addOption(option);
  command.action(async () => {
    const given = names.map((name, at): [string, Given] => [name, command.processedArgs[at] as Given]);
    await carryOut(call, session(), Object.fromEntries([...given, ...givenBy(options, command)]));
  });
}

/** The name of the program that a command belongs to. */
function programOf(command: Command): string {
  return command.parent === null ? command.name() : programOf(command.parent);
}

/** The options that were given, by the names of the route's parameters. */
function givenBy(options: readonly NamedOption[], command: Command): readonly [string, Given][] {
  const given = command.opts<Readonly<Record<string, Given | undefined>>>();
  return options.flatMap(({ name, value: { none }, option }): [string, Given][] => {
    const value = given[option.attributeName()];
    if (value === undefined) return [];
    return [[name, none !== undefined && value === none ? null : value]];
  });
}

function optionsOf(call: Call): readonly NamedOption[] {
  const all: Readonly<Record<string, Value | string>> = { ...OF_KIND[call.kind], ...bodyOf(call), ...call.options };
  return Object.entries(all).map(([name, of]) => {
    const value = typeof of === 'string' ? text(of) : of;
    const option = optionOf(name, value);
    if (call.kind === 'list' && name === 'all') option.conflicts('limit');
    return { name, value, option };
  });
}

/** The option of a call whose body comes from a file. */
function bodyOf(call: Call): Readonly<Record<string, Value>> {
  if (call.kind !== 'one' || call.body === undefined) return {};
  const words = `a file with ${call.body}; \`-\` is the standard input`;
  return { body: { ...required(text(words, COMMAND_LINE.part)), as: 'file' } };
}

function argumentOf(name: string, { words, as, parse, choices }: Value = text(name)): Argument {
  const argument = new Argument(`<${as ?? name}>`, words);
  if (choices !== undefined) argument.choices(choices);
  return parse === undefined ? argument : argument.argParser(parse);
}

function optionOf(name: string, { words, as, parse, choices, many, required: must }: Value): Option {
  const long = `--${name.replaceAll('_', '-')}`;
  if (parse === undefined) return new Option(long, words);
  const option = new Option(`${long} <${as ?? name.replaceAll('_', '-')}>`, words);
  // Help and completion show the choices; the parser also bounds them.
  if (choices !== undefined) option.choices(choices);
  return option.argParser(many === true ? oneMore(parse) : parse).makeOptionMandatory(must === true);
}
