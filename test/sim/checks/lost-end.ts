import type { Answer, Installation } from '../world/installation.js';
import type { ServiceProcess } from '../world/service-process.js';
import type { World } from '../world/world.js';
import type { Partner } from '../workload/known.js';
import type { Workload } from '../workload/workload.js';
import type { Checks } from './checks.js';
import { NaiveViews } from './naive-views.js';
import { Violation } from './violation.js';

/** So long after the server is back, its loss must have been noticed, in milliseconds of the world. */
const NOTICED_WITHIN = 60_000;
/** So long after operators have accepted all findings, the service must be as before. */
const BACK_WITHIN = 600_000;
/** Milliseconds in which views follow a command while nothing fails; the mark is saved only after a second. */
const FOLLOWED = 300;
const QUIET = 5_000;
const LOOK_EVERY = 1_000;
/** So long after the first has noticed the loss, others have too. */
const OTHERS_TOO = 5_000;

/**
 * The last thing that happens to an installation with a log server: a disk that lied about its syncs loses the very end of the
 * log, which a view has read. Somebody must refuse the log, and whoever does decides nothing; operators accept the loss; then
 * everything is of that log.
 */
export class LostEnd {
  constructor(
    private readonly world: World,
    private readonly installation: Installation,
    private readonly workload: Workload,
    private readonly checks: Checks,
  ) {}

  /** @throws Violation */
  async check(allUp: () => Promise<void>): Promise<void> {
    const { world, installation, checks } = this;
    const { loseEnd, log } = installation;
    if (loseEnd === undefined) return;
    await world.scheduler.sleep(QUIET);
    const kept = log.events.at(-1)?.position ?? 0n;
    for (const api of installation.apis) await this.#changeUserOfOther(api);
    await this.#register('lost');
    await world.scheduler.sleep(FOLLOWED);
    checks.end();
    loseEnd(kept);
    // What only these knew is lost with them: their marks are not saved yet.
    const ended = world.random.of('lost end').one([[], installation.apis, installation.apis, installation.processes]);
    for (const process of ended) installation.crash(process);
    await this.#until('a lost end of the log is noticed', NOTICED_WITHIN, () => this.#findings().length > 0);
    await world.scheduler.sleep(OTHERS_TOO);
    for (const api of installation.apis) await this.#decidesNothing(api);
    await this.#accept(allUp);
    await this.#register('kept');
    const views = new NaiveViews();
    const difference = (): Violation | undefined => {
      views.follow(log.events);
      return views.difference(installation.views);
    };
    await this.#until('views are of the log that was accepted', BACK_WITHIN, () => difference() === undefined);
  }

  #findings(): readonly string[] {
    return this.installation.processes.flatMap(({ service }) => service?.guard.findings.map(({ code }) => code) ?? []);
  }

  /** Operators start every process again, and accept what each says, until none says anything more. */
  async #accept(allUp: () => Promise<void>): Promise<void> {
    const { processes } = this.installation;
    const codes = new Set<string>();
    const isWell = (): boolean => processes.every((process) => process.isWell);
    const isNew = (code: string): boolean => !codes.has(code);
    await this.#until('an accepted loss ends the refusal', BACK_WITHIN, async () => {
      if (isWell()) return true;
      if (!this.#findings().some(isNew)) return false;
      for (const code of this.#findings()) codes.add(code);
      for (const process of processes) this.#restart(process, codes);
      await allUp();
      return false;
    });
  }

  #restart(process: ServiceProcess, codes: ReadonlySet<string>): void {
    process.accept(codes);
    this.installation.crash(process);
  }

  /** A refusal is a decision too: what a process remembers of the log may be what the log has lost. */
  async #decidesNothing(api: ServiceProcess): Promise<void> {
    if (api.service?.guard.refused !== true) return;
    const { status, text } = await this.#changeUserOfOther(api);
    if (status !== 503) throw new Violation('who refuses the log decides nothing', api.name, `${status} ${text}`);
  }

  /** A call that is refused after a look at what the log has of the user. */
  #changeUserOfOther(api: ServiceProcess): Promise<Answer> {
    const { key } = this.#partner;
    const user = this.workload.known.users.values.find(({ partner }) => partner.key !== key);
    if (user === undefined) throw new Error('the world has no user of another partner');
    const body = { first_name: 'Eve' };
    return api.answer({ method: 'PUT', path: `/users/${user.id}`, credential: { key }, body });
  }

  get #partner(): Partner {
    const [partner] = this.workload.known.partners;
    if (partner === undefined) throw new Error('the world has no partner');
    return partner;
  }

  /** Registers a user, at any API. */
  async #register(name: string): Promise<void> {
    const [api] = this.installation.apis;
    if (api === undefined) throw new Error('the world has no API');
    const body = { email: `${name}-at-the-end@example.com`, first_name: 'Ann' };
    const credential = { key: this.#partner.key };
    const { status, text } = await api.answer({ method: 'POST', path: '/users', credential, body });
    if (status !== 200) throw new Violation('a command is carried out at the end', 'POST /users', `${status} ${text}`);
  }

  async #until(what: string, within: number, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const { scheduler } = this.world;
    const until = scheduler.now + within;
    while (!(await isSo())) {
      if (scheduler.now > until) throw new Violation(what, `after ${within / 1_000} s`, 'it is not so');
      await scheduler.sleep(LOOK_EVERY);
    }
  }
}
