import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Argument, Command, Option } from 'commander';
import { COMMAND_LINE, FILES, SETTINGS, TOKEN_LENGTH } from '#kernel/bounds';
import { tempFolder } from '../../test/support/temp-folder.js';
import { opsProgram, runCommandLine } from './run-command-line.js';
import { ENVIRONMENT, targetOf } from './target.js';

/** Every command must be refused before it runs. */
const program = opsProgram(() => {
  throw new Error('a command was carried out');
});
const all = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(all)];
const pathOf = (command: Command): readonly string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];
const commands = all(program).map((command) => ({ command, path: pathOf(command) }));
const LONG = 'x'.repeat(COMMAND_LINE.part);

describe('G8: the arguments of a command', () => {
  let output = '';
  const folder = tempFolder();
  beforeEach(() => {
    output = '';
    for (const stream of [process.stdout, process.stderr]) {
      jest.spyOn(stream, 'write').mockImplementation((text) => {
        output += String(text);
        return true;
      });
    }
  });
  afterAll(() => {
    jest.restoreAllMocks();
    folder.remove();
  });

  it('have bounds: each option with a value, and each argument', () => {
    const given: (Option | Argument)[] = commands.flatMap(({ command }) => [
      ...command.options.filter(({ required, optional }) => required || optional),
      ...command.registeredArguments,
    ]);
    expect(given.length).toBeGreaterThan(8);
    for (const each of given) expect(() => each.parseArg?.(`${LONG}x`, undefined)).toThrow(/\b\d+\b/);
    expect(commands.flatMap(({ command }) => command.registeredArguments).filter(({ variadic }) => variadic)).toEqual(
      [],
    );
  });

  it('are refused in one line if any part of any command is too long', async () => {
    for (const { command, path } of commands) {
      const given = command.registeredArguments.map(() => '1');
      for (const long of [`${LONG}x`, 'y'.repeat(120_000)]) {
        for (let at = 0; at <= given.length; at += 1) {
          output = '';
          expect(await runCommandLine([...path, ...given.toSpliced(at, 1, long)], {})).toBe(2);
          expect(output).toMatch(
            /^Part \d+ of the command line \((x{20}|y{20})…\) is too long: each has at most 4096 characters\.\n$/,
          );
        }
      }
    }
  });

  it.each([
    [
      ['--url', `http://${'x'.repeat(SETTINGS.url)}`, 'projections', 'list'],
      `It must have at most ${SETTINGS.url} characters`,
    ],
    [['projections', 'rebuild', 'x'.repeat(201)], 'It must have at most 200 characters'],
    [['projections', 'drop', 'deals', '1000000000'], 'must be a whole number from 1 to 999999999'],
    [['projections', 'drop', 'deals', `1${'0'.repeat(400)}`], 'must be a whole number from 1 to 999999999'],
    [Array<string>(41).fill('list'), 'The command line has 41 parts: it has at most 40'],
  ])('are refused by name: %#', async (args, words) => {
    expect(await runCommandLine(args, {})).toBe(2);
    expect(output).toContain(words);
  });

  it('are refused in JSON for machines', async () => {
    expect(await runCommandLine(['--json', LONG, `${LONG}x`], {})).toBe(2);
    expect(JSON.parse(output)).toEqual({ error: expect.stringContaining('Part 3 of the command line') });
  });

  it.each(Object.entries(ENVIRONMENT))('have bounds in the environment too: %s', async (name, most) => {
    expect(() => targetOf({}, { [name]: 'x'.repeat(most + 1) })).toThrow(`${name} has more than ${most} characters.`);
  });

  it.each([
    ['two words', 'a b'],
    ['a line break within', 'a\nb'],
    ['a letter that no header can hold', 'tökén'],
    ['nothing', ' \n'],
    ['more than a header can hold', 'x'.repeat(TOKEN_LENGTH[1] + 1)],
    ['more than any token', 'x'.repeat(FILES.tokenFile + 1)],
  ])('G8: %s is not a token, and the error does not show it', (_, token) => {
    const file = join(folder.path, 'token');
    writeFileSync(file, token);
    const messages: string[] = [];
    for (const [options, environment] of [
      [{ tokenFile: file }, {}],
      [{}, { OPERATOR_TOKEN: token }],
    ] as const) {
      try {
        targetOf(options, environment);
      } catch (error) {
        messages.push((error as Error).message);
      }
    }
    expect(messages).toEqual([
      expect.stringMatching(/is not a token\.|holds no token: a token is one word\./),
      expect.stringMatching(/^OPERATOR_TOKEN (holds no token: a token is one word\.|has more than \d+ characters\.)/),
    ]);
    for (const each of messages) expect(each.length).toBeLessThan(300);
  });

  it('G8: a line break after a token is ignored', () => {
    expect(targetOf({}, { OPERATOR_TOKEN: 'abc\n' }).token).toBe('abc');
  });
});
