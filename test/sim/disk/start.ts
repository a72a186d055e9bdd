import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buy } from '../../support/buying.js';
import { eventsOf } from '../../support/data-folder.js';
import { RunningService } from '../../support/running-service.js';
import { checkEvents, Wrong } from './check.js';
import type { Story } from './record.js';
import type { Told } from './told.js';

/**
 * Starts the whole service on what the power left, over HTTP, sells something, and stops.
 * @throws Wrong
 */
export async function checkStart(story: Story, told: Told): Promise<void> {
  const dataDir = story.recording.root;
  // A cut before anybody was told anything may have left nothing: then this is another installation.
  const left = told.anything ? await eventsLeft(dataDir) : 0;
  const service = await RunningService.start({ dataDir }).catch((error: unknown) => {
    throw new Wrong(`the start fails: ${String(error)}`);
  });
  try {
    const { status, text } = await service.health();
    if (status !== 200) throw new Wrong(`the service is not ready: ${text}`);
    const slug = 'after-the-cut';
    const { key } = await service.newPartner(slug);
    await service.newDeal(slug);
    await buy(service, key, slug, await service.newUser(key, 'after@example.org'));
  } finally {
    await service.stop();
  }
  const errors = service.printed.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line));
  if (errors.length > 0) throw new Wrong(`the service reports errors: ${errors.join('; ')}`);
  // Behind these, the service has written what was missing or due.
  checkEvents(story, told, (await eventsOf(dataDir)).slice(0, left));
}

/** How many events the power left. Reads a copy: the first to open the log after the cut is the service. */
async function eventsLeft(dataDir: string): Promise<number> {
  const copy = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  try {
    for (const name of readdirSync(dataDir).filter((each) => each.startsWith('events.db')))
      copyFileSync(join(dataDir, name), join(copy, name));
    return (await eventsOf(copy)).length;
  } finally {
    rmSync(copy, { recursive: true });
  }
}
