import { expect } from '@jest/globals';
import { RunningService } from './running-service.js';

/**
 * Sends a request to a service that dies once its first event is on disk (due work, which would write others, does not run),
 * and then starts the service again on the same folder, at a time when a repeat of the request no longer gets the answer that it is
 * under way.
 * @param on the service, which this function replaces
 */
export async function breakOff(on: { service: RunningService }, send: () => Promise<unknown>): Promise<void> {
  // At the same address, so that its start writes nothing: another one is another form of answers.
  const { dataDir, url: PUBLIC_URL } = on.service;
  await on.service.stop();
  on.service = await RunningService.start({ dataDir, env: { FAILPOINT: 'log.append=1', TIMERS: 'false', PUBLIC_URL } });
  await expect(send()).rejects.toThrow();
  await on.service.ended();
  on.service = await RunningService.start({ dataDir });
  await on.service.forward(31);
}
