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
  const service = await RunningService.start({ dataDir }).catch((error: unknown) => {
    throw new Wrong(`the start fails: ${String(error)}`);
  });
  try {
    const { status, text } = await service.ask('GET', '/health/ready');
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
  const events = await eventsOf(dataDir);
  const partner = events.findIndex(({ data }) => 'slug' in data && data.slug === 'after-the-cut');
  // A cut before anybody was told anything may have left nothing: then this is another installation.
  if (told.anything) checkEvents(story, told, events.slice(0, partner));
}
