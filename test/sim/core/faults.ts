import type { Seeded } from './seeded.js';
import type { Trace } from './trace.js';

/** What can go wrong, and how often at most: the probability each time that it could. */
export const FAULTS = {
  'disk: a sync takes long': 0.02,
  'disk: a sync fails': 0.0005,
  'disk: the disk is full for a while': 0.0005,
  'disk: a crash finds the last transaction on disk': 0.5,
  'disk: a file of a view is damaged': 0.0005,
  'disk: a file of a view is lost': 0.2,
  'crash: a process is killed': 0.003,
  'crash: the machine loses its power': 0.5,
  'crash: a process is killed while it starts': 0.2,
  'crash: a process is killed when it has written': 0.03,
  'pause: a process stands still for a while': 0.004,
  'stop: a process is stopped in order': 0.002,
  'projector: it breaks': 0.002,
  'client: an answer is lost': 0.01,
  'client: the same request is sent twice at once': 0.01,
  'gateway: an answer is lost': 0.03,
  'gateway: a request is lost': 0.03,
  'gateway: a request arrives twice': 0.03,
  'gateway: an answer takes long': 0.03,
  'gateway: it refuses a charge for good': 0.25,
  'gateway: it refuses a refund for good': 0.25,
  'gateway: it is silent for a while': 0.01,
  'mail: the server asks for a later try': 0.03,
  'mail: the connection breaks after the mail': 0.03,
  'mail: the server takes long': 0.03,
  'network: a connection breaks': 0.0012,
  'network: a look goes wrong': 0.002,
  'network: a request is lost': 0.0012,
  'network: a request is late': 0.002,
  'network: a request arrives twice': 0.003,
  'network: an answer is lost': 0.002,
  'network: an answer is late': 0.0015,
  'network: a process cannot reach a server for a while': 0.0006,
  'eventstoredb: it ends and starts again': 0.003,
  'eventstoredb: it stands still for a while': 0.003,
  'eventstoredb: its leader ends': 0.005,
  'eventstoredb: its leader resigns': 0.005,
  'eventstoredb: its leader has no quorum': 0.003,
  'eventstoredb: nobody leads for long': 0.1,
  'eventstoredb: an older copy is put back': 0.002,
  'eventstoredb: a burst drops a subscription': 0.3,
  'eventstoredb: a subscription is dropped': 0.002,
  'eventstoredb: others overtake an append': 0.3,
  'eventstoredb: another application writes': 0.02,
  'eventstoredb: an administrator cuts streams': 0.003,
  'a second whole service is started on the log': 0.05,
  'mongodb: it ends and starts again': 0.003,
  'mongodb: it stands still for a while': 0.003,
  'mongodb: a failover loses what nobody was promised': 0.005,
  'mongodb: rows are written in part': 0.005,
  'redis: it ends and starts again': 0.003,
  'redis: it stands still for a while': 0.003,
  'redis: it is emptied': 0.003,
  'redis: a job runs twice': 0.01,
  'redis: a job is late': 0.02,
  'redis: a job is lost': 0.02,
  // Last, so that the worlds without it stay as they were.
  'mail: the server refuses a mail for good': 0.03,
  'snapshots: one is torn': 0.6,
  'snapshots: one is of another log': 0.6,
  'snapshots: one is of another stream': 0.6,
  'snapshots: one is of another history': 0.6,
  'snapshots: an earlier one comes back': 0.6,
  'snapshots: all are deleted': 0.05,
  'snapshots: another build is started': 0.5,
  'snapshots: a call fails': 0.05,
  'snapshots: a call is never answered': 0.01,
  'eventstoredb: a node is filled anew from scavenged files': 0.01,
  'eventstoredb: a node’s clock is wrong for a while': 0.01,
} as const satisfies Readonly<Record<string, number>>;

export type Fault = keyof typeof FAULTS;

/** What a run leaves out of the world that its seed makes. */
export interface LeftOut {
  /** Kinds of faults. */
  readonly faults?: ReadonlySet<string>;
  /** Single strikes, such as `crash: a process is killed #3`. */
  readonly strikes?: ReadonlySet<string>;
  /** Operations of the workload, by their numbers. */
  readonly operations?: ReadonlySet<number>;
}

/**
 * The faults of one world. Each seed has some of them, each with its own rate: a world in which everything fails at once never
 * gets far enough to show a rare order of things.
 */
export class Faults {
  /** How often each has struck. */
  readonly struck = new Map<Fault, number>();
  /** Each strike, as `LeftOut.strikes` names it. */
  readonly strikesInOrder: string[] = [];
  /** How often each would have struck, with those that are left out. */
  readonly #drawn = new Map<Fault, number>();
  readonly #rates = new Map<Fault, number>();
  readonly #random: Seeded;
  #stopped = false;

  constructor(
    random: Seeded,
    private readonly trace: Trace,
    private readonly left: LeftOut = {},
  ) {
    this.#random = random.of('strikes');
    const chosen = random.of('choice');
    for (const [name, most] of Object.entries(FAULTS) as [Fault, number][]) {
      const isOn = chosen.chance(0.5);
      const rate = most * (0.2 + 0.8 * chosen.fraction());
      if (isOn) this.#rates.set(name, rate);
    }
  }

  /** Whether it strikes now. */
  strikes(fault: Fault): boolean {
    const rate = this.#rates.get(fault);
    if (rate === undefined || this.#stopped || !this.#random.chance(rate)) return false;
    const number = (this.#drawn.get(fault) ?? 0) + 1;
    this.#drawn.set(fault, number);
    if (this.left.faults?.has(fault) === true || this.left.strikes?.has(`${fault} #${number}`) === true) return false;
    this.struck.set(fault, (this.struck.get(fault) ?? 0) + 1);
    this.strikesInOrder.push(`${fault} #${number}`);
    this.trace.tell('fault', fault);
    return true;
  }

  /** Takes the last strike of a fault out of the count: where it struck, there was nothing to change. */
  hadNoEffect(fault: Fault): void {
    const struck = (this.struck.get(fault) ?? 0) - 1;
    if (struck > 0) this.struck.set(fault, struck);
    else this.struck.delete(fault);
  }

  /** Whether nothing fails any more. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** From now on nothing fails: what is unfinished must finish. */
  stop(): void {
    this.#stopped = true;
    this.trace.tell('fault', 'nothing fails any more');
  }
}
