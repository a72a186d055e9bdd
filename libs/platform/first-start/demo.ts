import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandBus } from '@nestjs/cqrs';
import { MoveDeal, PutDeal, readDeal, SetRegion } from '#catalogue';
import { newContext, writeSecretFile, type CommandContext, type Done, type Engine } from '#eventsourcing';
import { CreatePartner, type NewPartner } from '#partners';
import { CreateUser, newProfile } from '#people';
import { DEMO_REGIONS, demoDeals } from './demo-catalogue.js';

/** The file with the demo's `API_KEY` and `USER_ID`, and what its partner calls `/api/v3` with. */
export const DEMO_FILE = 'demo.env';
/** The deal that the lines of curl buy. */
export const DEMO_DEAL = 'rowing-on-the-charles';
/** Marks a demo that is being loaded: a start that broke off begins it again. */
const MARK = 'demo.loading';

/** Notes that the demo is to be loaded; to be called on an empty log, before anything else is written. */
export function wantDemo(dataDir: string): void {
  writeSecretFile(join(dataDir, MARK), '');
}

/** Loads the demo catalogue where it is wanted (ruling G9). Every step that was done before does nothing again. */
export async function loadDemo(engine: Engine, commands: CommandBus, dataDir: string): Promise<void> {
  const mark = join(dataDir, MARK);
  if (!existsSync(mark)) return;
  const context = (): CommandContext => newContext(engine, 'system:demo');
  for (const { id, ...region } of DEMO_REGIONS) await commands.execute(new SetRegion(id, region, context()));
  for (const [id, body] of Object.entries(demoDeals(engine.clock.now()))) {
    await commands.execute(new PutDeal(id, readDeal(body), context()));
    // A deal that has come further on a first try stays where it is.
    for (const state of ['in-review', 'approved'] as const) {
      await commands.execute(new MoveDeal(id, state, 'demo', context())).catch(() => undefined);
    }
  }
  const slug = `demo-${engine.keyring
    .secret()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 6)}`;
  const partner = await commands.execute<CreatePartner, Done<NewPartner>>(new CreatePartner('Demo', slug, context()));
  const given = { email: `ada@${slug}.example.com`, first_name: 'Ada', last_name: 'Demo', postal_code: '02114' };
  const user = await commands.execute<CreateUser, Done<string>>(
    new CreateUser(partner.row.partner.id, newProfile(given, 0), null, context()),
  );
  const { api_key, username, password } = partner.row;
  // USERNAME would be the shell's own: zsh takes it for a change of user.
  const settings = { API_KEY: api_key, USER_ID: user.row, V3_USERNAME: username, V3_PASSWORD: password };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeSecretFile(join(dataDir, DEMO_FILE), lines.join(''));
  rmSync(mark);
}
