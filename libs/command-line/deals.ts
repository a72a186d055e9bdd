import { Argument, type Command } from 'commander';
import { TEXTS } from '#kernel/bounds';
import { textWithin } from './arguments.js';
import { fields, write } from './output.js';
import type { Session } from './session.js';

/** A deal, as the service shows it to operators (ruling G4). */
interface ShownDeal {
  readonly deal: { readonly id: string; readonly title: string | null; readonly state: string };
  readonly units: Readonly<Record<string, number | string | null>>;
}

/** The commands `deals …` (rulings G4, G8): show deals. */
export function addDeals(program: Command, session: () => Session): void {
  const noun = program.command('deals').description('show deals');

  noun
    .command('show')
    .description('shows a deal and its units as they are now (with --json: all attributes)')
    .addArgument(new Argument('<deal>', 'the id of a deal, such as tram-28').argParser(textWithin(TEXTS.id.most)))
    .action(async (id: string) => {
      const { service, output } = session();
      const { deal, units } = await service.ask<ShownDeal>('GET', `/operators/deals/${encodeURIComponent(id)}`);
      const title = `${deal.id}: ${deal.title ?? 'without a title'} (${deal.state})`;
      write(output, { deal, units }, `${title}\n${fields(units)}`);
    });
}
