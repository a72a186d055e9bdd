import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Time } from '#eventsourcing';
import { ADMIN_CONNECTIONS, CONNECTIONS } from '#kernel/bounds';
import { refuseExpectations, refuseTunnels, type EarlyLog } from '../early-refusals.js';
import { pathAt, pathFor, type CalledAt } from '../paths.js';
import type { Proxies } from '../proxies.js';
import { continueWhenRead } from '../read-body.js';
import { UnfinishedBodies } from '../unfinished-bodies.js';
import { closeAfterCalls } from './close-after-calls.js';
import { ConnectionShares, type ConnectionBounds } from './connection-shares.js';
import { watchConnections, type Connections } from './connections.js';
import { limitPipelines } from './pipelines.js';

/** An address where the service listens. Its bounds are its own: whoever calls at another one takes nothing from them. */
export interface Listener {
  readonly at: CalledAt;
  readonly connections: Connections;
  readonly shares: ConnectionShares;
  /** The bodies that have come in part. */
  readonly unfinished: UnfinishedBodies;
}

/** What the connections of every address need. */
export interface ListenerParts {
  readonly proxies: Proxies;
  readonly time: Time;
  /** The log of requests that Node refuses. */
  readonly early: EarlyLog;
}

/**
 * The addresses where a service listens (ruling G11): one for everybody; or, with `ADMIN_HOST`, a public one and one for operators
 * and auditors. The same routes answer at both, as far as `pathAt` lets requests reach them. Make it before the service listens.
 */
export class Listeners {
  readonly #main: Listener;
  readonly #admin: Listener | undefined;

  /** @param admin listens at the admin address, and does nothing else yet */
  constructor(
    server: FastifyInstance,
    admin: Server | undefined,
    private readonly parts: ListenerParts,
  ) {
    this.#main = this.#listener(server, server.server, admin === undefined ? 'only' : 'public', CONNECTIONS);
    if (admin !== undefined) {
      admin.on('request', (request, response) => server.routing(request, response));
      this.#admin = this.#listener(server, admin, 'admin', ADMIN_CONNECTIONS);
      server.addHook('onClose', (_, done) => {
        admin.close();
        done();
      });
    }
    const all = this.all.map(({ connections }) => connections);
    closeAfterCalls(server, all, parts.time);
  }

  get all(): readonly Listener[] {
    return this.#admin === undefined ? [this.#main] : [this.#main, this.#admin];
  }

  /** The listener that a connection came to. */
  of(socket: Socket): Listener {
    return this.#admin?.connections.of(socket) === undefined ? this.#main : this.#admin;
  }

  /** The path to route a request to. */
  pathOf(request: IncomingMessage): string {
    return pathAt(this.of(request.socket).at, pathFor(request));
  }

  #listener(fastify: FastifyInstance, server: Server, at: CalledAt, bounds: ConnectionBounds): Listener {
    const { proxies, time, early } = this.parts;
    const inTurn = limitPipelines(server);
    const connections = watchConnections(fastify, time, server);
    const shares = new ConnectionShares(connections, proxies, time, bounds);
    continueWhenRead(server);
    refuseExpectations(server, early, inTurn);
    refuseTunnels(server, early);
    return { at, connections, shares, unfinished: new UnfinishedBodies() };
  }
}
