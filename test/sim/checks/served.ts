import type { Request } from '../world/installation.js';
import type { ServiceProcess } from '../world/service-process.js';
import type { Units } from './units.js';
import { Violation } from './violation.js';

const READY: Request = { method: 'GET', path: '/health/ready', credential: { token: '' } };

/** Once nothing fails any more, every API says that it is ready. */
export async function checkReady(apis: readonly Pick<ServiceProcess, 'name' | 'answer'>[]): Promise<void> {
  for (const process of apis) {
    const { status, text } = await process.answer(READY);
    if (status !== 200) throw new Violation('every process is ready', process.name, `${status} ${text}`);
  }
}

/** No reservation outlives its time, and no purchase waits for ever. */
export function checkHolds({ openHolds }: Pick<Units, 'openHolds'>, now: number): void {
  for (const [deal, holds] of openHolds)
    for (const [id, { deadline = 0 }] of holds)
      if (deadline < now)
        throw new Violation(
          'held units are let go',
          `deal ${deal}`,
          `${id} still holds some, deadline ${deadline}, now ${now}`,
        );
}
