import type { Command } from 'commander';

/**
 * Adds `complete <shell>`, which prints a script for a shell. The script asks `complete -- …` for the words that fit.
 * @param args the command line of the program
 * @param makeProgram makes the program whose words are completed
 */
export function addCompletion(program: Command, args: readonly string[], makeProgram: () => Command): void {
  program
    .command('complete')
    .description('prints the script that completes commands in a shell: bash, zsh or fish')
    .usage('<shell>')
    .argument('[shell]', 'bash, zsh or fish')
    .allowExcessArguments()
    .addHelpText('after', '\nExample: source <(holdfast complete bash)')
    .action(() => complete(makeProgram(), args));
}

async function complete(program: Command, args: readonly string[]): Promise<void> {
  const { default: tab } = await import('@bomb.sh/tab/commander');
  const words = tab(program);
  for (const command of words.commands.values())
    for (const [name, option] of words.options) if (!command.options.has(name)) command.options.set(name, option);
  await program.parseAsync(args, { from: 'user' });
}
