import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MOST_PIPELINED } from '#kernel/bounds';

/** The requests of a connection that came before the answer to an earlier one was sent. */
interface Waiting {
  requests: number;
  /** The answer to the newest of them. */
  newest: ServerResponse;
}

/** Node's parser of a socket's requests. Node has no public way to stop it. */
interface Parsed {
  readonly parser?: { onIncoming: unknown } | null;
}

/**
 * Runs one request of a connection at a time. At most `MOST_PIPELINED` more wait; if more come, the connection is closed after
 * the answers to those, and nothing more of it is read. A request that waits when its caller leaves never runs.
 *
 * Call it before anything else listens for requests: it takes the place of the server's own listener.
 * @returns gives another listener the same turns, for requests that Node announces by other events
 */
export function limitPipelines(server: Server): (run: RequestListener) => RequestListener {
  const [run] = server.listeners('request') as RequestListener[];
  if (run === undefined) throw new Error('the server has no listener for requests');
  const waiting = new WeakMap<Socket, Waiting>();

  const wait = (run: RequestListener, request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const line = waiting.get(socket) ?? { requests: 0, newest: response };
    if (line.requests === MOST_PIPELINED) {
      readNoMore(socket);
      // If that answer has begun, the connection ends as soon as it is this one's turn.
      if (!line.newest.headersSent) line.newest.setHeader('connection', 'close');
      response.once('socket', () => socket.destroySoon());
      return;
    }
    line.requests += 1;
    line.newest = response;
    waiting.set(socket, line);
    response.once('socket', () => {
      line.requests -= 1;
      run.call(server, request, response);
    });
  };

  const inTurn =
    (next: RequestListener): RequestListener =>
    (request, response) => {
      // Node gives a response its socket when the answers before it are sent.
      if (response.socket === null) wait(next, request, response);
      else next.call(server, request, response);
    };
  server.off('request', run);
  server.on('request', inTurn(run));
  return inTurn;
}

/** Reads nothing more of a connection. What Node has read already is parsed, at a tenth of the usual cost, and dropped. */
function readNoMore(socket: Socket): void {
  socket.pause();
  // Node resumes a socket whenever a request on it was read to its end.
  socket.resume = () => socket;
  const { parser } = socket as Parsed;
  if (parser !== undefined && parser !== null) parser.onIncoming = () => SKIP_BODY;
}

/** Tells Node's parser that the message has no body. */
const SKIP_BODY = 1;
