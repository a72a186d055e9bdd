import type { Seeded } from '../core/seeded.js';
import type { Answer, Installation, Reply, Request } from './installation.js';
import type { ServiceProcess } from './service-process.js';
import type { World } from './world.js';

/** How long a client waits for an answer, in milliseconds of the world. */
export const CLIENT_PATIENCE = 90_000;

/**
 * One client of the installation. It sends requests over a network that loses and repeats them, each to any API, and tells the
 * position that it has seen last, as partners of several APIs do.
 */
export class Client {
  readonly #random: Seeded;
  #seen = 0n;

  constructor(
    private readonly world: World,
    private readonly installation: Installation,
    readonly name: string,
  ) {
    this.#random = world.random.of(`client ${name}`);
  }

  /** Sends a request once. `lost`: the client cannot know whether anything was done. */
  send(request: Request): Promise<Reply> {
    const { world } = this;
    const { scheduler, faults, trace } = world;
    const { apis } = this.installation;
    const running = apis.filter((each) => each.isUp);
    const api = this.#random.one(running.length === 0 ? apis : running);
    const sent: Request =
      apis.length > 1 && this.#seen > 0n
        ? { ...request, headers: { 'holdfast-position': String(this.#seen), ...request.headers } }
        : request;
    return new Promise((resolve) => {
      let answered = false;
      const reply = (made: Reply): void => {
        if (answered) return;
        answered = true;
        scheduler.cancel(patience);
        trace.tell(this.name, `${request.method} ${request.path}: ${made.kind === 'lost' ? 'lost' : shown(made)}`);
        if (made.kind === 'answer') this.#note(made.answer.headers['holdfast-position']);
        resolve(made);
      };
      const patience = scheduler.after(CLIENT_PATIENCE, () => reply({ kind: 'lost' }));
      const times = faults.strikes('client: the same request is sent twice at once') ? 2 : 1;
      for (let time = 0; time < times; time += 1) this.#deliver(api, sent, reply);
    });
  }

  #deliver(api: ServiceProcess, request: Request, reply: (made: Reply) => void): void {
    const { scheduler, faults } = this.world;
    // The connection breaks when the process ends; a process that stands still reads it later.
    const broken = (): void => void scheduler.after(1, () => reply({ kind: 'lost' }));
    scheduler.after(this.#random.between(0.2, 3), () => {
      if (!api.isUp) {
        broken();
        return;
      }
      const leave = api.whenItEnds(broken);
      const arrived = (answer: Answer): void => {
        leave();
        reply({ kind: 'answer', answer });
      };
      api.receive(() => {
        api.answer(request).then(
          (answer) => {
            if (faults.strikes('client: an answer is lost')) broken();
            else scheduler.after(this.#random.between(0.2, 3), () => arrived(answer));
          },
          () => broken(),
        );
      });
    });
  }

  #note(position: string | undefined): void {
    if (position !== undefined && BigInt(position) > this.#seen) this.#seen = BigInt(position);
  }
}

function shown({
  answer: { status, text },
}: {
  readonly answer: { readonly status: number; readonly text: string };
}): string {
  return `${status} ${text.slice(0, 120)}`;
}
