import type { Installation, Request } from '../world/installation.js';
import type { ServiceProcess } from '../world/service-process.js';
import type { World } from '../world/world.js';
import { Violation } from './violation.js';

/** Milliseconds of the world between two looks, and how long appends may fail before health must say so. */
const LOOK_EVERY = 5_000;
const SAYS_WITHIN = 20_000;

const READY: Request = { method: 'GET', path: '/health/ready', credential: { token: '' } };

/**
 * Health says what an operator must know: that no append of a process gets through, and that somebody cut a stream. It does not
 * say that a process's own clock is wrong, if it was right before.
 */
export class Health {
  /** Services that were well while each clock was right: theirs never leap. */
  readonly #trusted = new WeakSet<object>();
  /** Since when each API has said nothing of a cut stream although it and the servers are well, in milliseconds. */
  readonly #silentSince = new Map<ServiceProcess, number>();

  constructor(
    private readonly world: World,
    private readonly installation: Installation,
  ) {}

  /** Looks as long as the world lasts. */
  begin(): void {
    const look = (): void => {
      for (const api of this.installation.apis) {
        // A process that ends gives no answer.
        this.#look(api).catch(() => undefined);
        this.#lookAtCut(api);
      }
      for (const process of this.installation.processes) this.#lookAtClock(process);
      this.world.scheduler.after(LOOK_EVERY, look);
    };
    if (this.installation.appendsFailSince !== undefined) look();
  }

  #lookAtCut(api: ServiceProcess): void {
    const { cut = new Set(), servers } = this.installation;
    const { now } = this.world.scheduler;
    const isSilent = cut.size > 0 && api.isWell && servers.every(({ isWell }) => isWell);
    const since = isSilent ? (this.#silentSince.get(api) ?? now) : undefined;
    if (since === undefined) this.#silentSince.delete(api);
    else this.#silentSince.set(api, since);
    if (since !== undefined && now - since > SAYS_WITHIN)
      this.world.fail(new Violation('health says that a stream is cut', api.name, [...cut].join(', ')));
  }

  #lookAtClock(process: ServiceProcess): void {
    const { service } = process;
    if (service === undefined) return;
    if (process.isWell && this.installation.areClocksRight?.() === true) this.#trusted.add(service);
    const finding = service.guard.findings.find(({ kind }) => kind === 'clock');
    if (finding !== undefined && this.#trusted.has(service))
      this.world.fail(new Violation('a clock that was right is trusted', process.name, finding.words));
  }

  async #look(api: ServiceProcess): Promise<void> {
    const since = this.#failsSince(api);
    if (since === undefined) return;
    const { status } = await api.answer(READY);
    if (status === 200 && this.#failsSince(api) === since)
      this.world.fail(new Violation('health says that no append gets through', api.name, `since ${since}`));
  }

  #failsSince(api: ServiceProcess): number | undefined {
    const since = api.isWell ? this.installation.appendsFailSince?.(api) : undefined;
    return since !== undefined && this.world.scheduler.now - since > SAYS_WITHIN ? since : undefined;
  }
}
