import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandBus } from '@nestjs/cqrs';
import { MoveDeal, PutDeal, readDeal, SetRegion } from '#catalogue';
import { type Clock, type CommandContext, type Keyring, type Writer, writeSecretFile } from '#eventsourcing';
import { CreatePartner } from '#partners';
import { CreateUser } from '#people';
import { DEMO_REGIONS, demoDeals } from './demo-catalogue.js';

/** The file with the demo's `API_KEY`, `USER_ID` and credentials for `/api/v3`. */
export const DEMO_FILE = 'demo.env';
/** The deal that the lines of curl buy. */
export const DEMO_DEAL = 'rowing-on-the-charles';
/** The file that marks an unfinished demo: the next start loads it again. */
const MARK = 'demo.loading';

/** Notes that the demo must be loaded. Call it on an empty log, before anything else is written. */
export function requestDemo(dataDir: string): void {
  writeSecretFile(join(dataDir, MARK), '');
}

/** Loads the demo catalogue if it was noted (ruling G9). It repeats every step of a start that broke off; most change nothing. */
export async function loadDemo(
  writer: Writer,
  keyring: Keyring,
  clock: Clock,
  commands: CommandBus,
  dataDir: string,
): Promise<void> {
  const mark = join(dataDir, MARK);
  if (!existsSync(mark)) return;
  const context = (): CommandContext => writer.newContext('system:demo');
  for (const { id, ...region } of DEMO_REGIONS) await commands.execute(new SetRegion(id, region, context()));
  for (const [id, body] of Object.entries(demoDeals(clock.now()))) {
    await commands.execute(new PutDeal(id, readDeal(body), context()));
    // A deal that an earlier try has moved further stays where it is.
    for (const state of ['in-review', 'approved'] as const) {
      await commands.execute(new MoveDeal(id, state, 'demo', context())).catch(() => undefined);
    }
  }
  const slug = `demo-${keyring
    .secret()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 6)}`;
  const partner = await commands.execute(new CreatePartner('Demo', slug, null, context()));
  const profile = { email: `ada@${slug}.example.com`, first_name: 'Ada', last_name: 'Demo', postal_code: '02114' };
  const user = await commands.execute(
    new CreateUser(partner.row.partner.id, { ...profile, credits: 0 }, null, context()),
  );
  const { api_key, username, password } = partner.row;
  // Not USERNAME: zsh takes that for a change of user.
  const settings = { API_KEY: api_key, USER_ID: user.row, V3_USERNAME: username, V3_PASSWORD: password };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeSecretFile(join(dataDir, DEMO_FILE), lines.join(''));
  rmSync(mark);
}
