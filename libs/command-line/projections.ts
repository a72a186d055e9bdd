import { Argument, type Command } from 'commander';
import { TEXTS } from '#kernel/bounds';
import { generationOf, textWithin } from './arguments.js';
import { table, write } from './output.js';
import { follow, leftOf, percentOf, speedOf } from './progress.js';
import type { Generation, Projection } from './projections-client.js';
import type { Session } from './session.js';

const ofView = (): Argument =>
  new Argument('<view>', 'the name of a view, such as coupons').argParser(textWithin(TEXTS.id.most));

/** The commands `projections …` (rulings G6, G8): show and rebuild projections. */
export function addProjections(program: Command, session: () => Session): void {
  const noun = program.command('projections').description('show and rebuild projections');

  noun
    .command('list')
    .description('lists the projections and their state')
    .action(async () => {
      const { projections, output } = session();
      const found = await projections.list();
      write(output, { projections: found }, tableOf(found));
    });

  noun
    .command('rebuild')
    .description('builds a generation beside the live one, and follows its progress')
    .addArgument(ofView())
    .option('--promote', 'promotes the generation when it is ready')
    .option('--detach', 'starts the build and does not wait')
    .action(async (view: string, options: { readonly promote?: true; readonly detach?: true }, command: Command) => {
      if (options.promote && options.detach) {
        command.error('error: --promote waits until the generation is ready: leave --detach out');
      }
      const { projections, output, interrupted, time } = session();
      const number = await projections.order(view, 'rebuild');
      if (options.detach) {
        const next = `\`projections generations ${view} --watch\` follows it.`;
        write(
          output,
          { view, generation: number, state: 'building' },
          `Generation ${number} of ${view} is being built. ${next}`,
        );
        return;
      }
      await follow(projections, { view, number }, output, { interrupted, time });
      if (!options.promote) {
        const next = `\`projections promote ${view} ${number}\` makes it the live one.`;
        write(
          output,
          { view, generation: number, state: 'ready' },
          `Generation ${number} of ${view} is ready. ${next}`,
        );
        return;
      }
      await projections.orderOf(view, number, 'promote');
      write(output, { view, generation: number, state: 'live' }, `Generation ${number} of ${view} is live.`);
    });

  noun
    .command('generations')
    .description('lists the generations of a view and their state')
    .addArgument(ofView())
    .option('--watch', 'follows a running build until it is ready')
    .action(async (view: string, { watch }: { readonly watch?: true }) => {
      const { projections, output, interrupted, time } = session();
      const building = (await projections.generations(view)).find(({ state }) => state === 'building');
      if (watch && building !== undefined)
        await follow(projections, { view, number: building.number }, output, { interrupted, time });
      const found = await projections.generations(view);
      write(output, { view, generations: found }, tableOfGenerations(found));
    });

  const about = [
    ['promote', 'makes a ready generation the live one; to go back, promote an older one', 'is live'],
    ['cancel', 'ends a rebuild and drops what it has built', 'is cancelled'],
    ['drop', 'drops a finished generation that is not live', 'is dropped'],
  ] as const;
  for (const [verb, description, done] of about) {
    noun
      .command(verb)
      .description(description)
      .addArgument(ofView())
      .addArgument(new Argument('<n>', 'the number of a generation').argParser(generationOf))
      .action(async (view: string, generation: number) => {
        const { projections, output } = session();
        await projections.orderOf(view, generation, verb);
        write(output, { view, generation }, `Generation ${generation} of ${view} ${done}.`);
      });
  }

  const stopped = [
    ['resume', 'makes a stopped view try its event again', 'tries its event again'],
    ['skip', 'makes a stopped view skip its event', 'skips its event'],
  ] as const;
  for (const [verb, description, done] of stopped) {
    noun
      .command(verb)
      .description(description)
      .addArgument(ofView())
      .action(async (view: string) => {
        const { projections, output } = session();
        const generation = await projections.order(view, verb);
        write(output, { view, generation }, `${view} ${done}. \`projections list\` shows its state.`);
      });
  }
}

function tableOf(projections: readonly Projection[]): string {
  return table(
    ['VIEW', 'STATE', 'GENERATION', 'BEHIND', 'ERROR'],
    projections.map(({ view, state, generation, lag_events, lag_seconds, last_error }) => [
      view,
      state,
      generation === null ? '–' : String(generation),
      lag_events === 0 ? '0' : `${lag_events?.toLocaleString('en') ?? '?'} events, ${lag_seconds} s`,
      last_error ?? '',
    ]),
  );
}

function tableOfGenerations(generations: readonly Generation[]): string {
  return table(
    ['NUMBER', 'STATE', 'PROGRESS', 'SPEED', 'ERROR'],
    generations.map((each) => [
      String(each.number),
      each.state,
      `${percentOf(each)} %${each.state === 'building' ? `, ${leftOf(each.time_left)}` : ''}`,
      speedOf(each.events_per_second),
      each.last_error ?? '',
    ]),
  );
}
