import { reserve } from './buying.js';
import type { RunningService } from './running-service.js';

/** More events than a stream may have had since its last snapshot without getting one at a stop. */
const EVENTS = 300;
/** Reserves a unit of a deal and releases it, so often that the deal gets a snapshot when the service stops. */
export async function holdUntilSnapshot(service: RunningService, key: string, deal_id: string): Promise<void> {
  for (let events = 0; events < EVENTS; events += 2) {
    const { id } = await reserve(service, key, deal_id);
    const { status, text } = await service.ask('PUT', `/purchases/${id}/release`, { key });
    if (status !== 200) throw new Error(`release ${id}: ${status} ${text}`);
  }
}
