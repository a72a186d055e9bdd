import type { Life } from '../../world/life.js';
import { Connection } from '../network.js';
import type { EventStoreNode } from './event-store-node.js';

/** Codes of gRPC. */
const UNAVAILABLE = 14;

const unavailable = (message: string): Error => Object.assign(new Error(message), { code: UNAVAILABLE });
const ERRORS = {
  refused: () => unavailable('connect ECONNREFUSED'),
  broken: () => unavailable('read ECONNRESET'),
};

/** The way from a client to a node: while it is cut, no connection gets through. */
export class Way {
  #cutUntil = 0;
  /** When the present or last cut began, in milliseconds of the world. */
  cutSince = 0;
  /** Connections that nobody uses now. */
  readonly #free: Line[] = [];

  constructor(
    private readonly life: Life,
    readonly node: EventStoreNode,
  ) {}

  get isCut(): boolean {
    return this.#cutUntil > this.life.world.scheduler.now;
  }

  cut(milliseconds: number): void {
    const { scheduler, trace } = this.life.world;
    const { now } = scheduler;
    trace.tell('network', `${this.life.name} and ${this.node.name} do not reach each other`);
    if (!this.isCut) this.cutSince = now;
    this.#cutUntil = now + milliseconds;
  }

  /** A new connection, or one that was closed: nothing tells them apart. */
  open(): Line {
    const line = this.#free.pop() ?? new Line(this.life, this.node, this);
    this.node.connected(line);
    return line;
  }

  closed(line: Line): void {
    this.node.disconnected(line);
    if (!line.isSilent) this.#free.push(line);
  }
}

/** A connection to a node. It goes silent by itself, or because there is no way to the node. */
export class Line extends Connection {
  constructor(
    life: Life,
    node: EventStoreNode,
    private readonly way: Way,
  ) {
    super(life, node, ERRORS);
  }

  /** Whether nothing gets through this connection, though another one may reach the node. */
  get isSilent(): boolean {
    return super.isCut;
  }

  override get isCut(): boolean {
    return super.isCut || this.way.isCut;
  }

  override cut(milliseconds: number): void {
    if (this.random.chance(0.5)) this.way.cut(milliseconds);
    else super.cut(milliseconds);
  }

  close(): void {
    this.way.closed(this);
  }
}
