/**
 * `node scripts/registry-watch.mjs URL`: reports every few seconds if npm's registry, or the proxy to it, cannot be reached. npm
 * itself says so only at the end. Runs beside npm until its parent ends it.
 */
import { connect } from 'node:net';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { endWith } from './end-with.mjs';

/** How long a connection may take, and the pause before the next one, in milliseconds. */
const WITHIN = 5_000;
const EVERY = 5_000;

const { hostname, port, protocol } = new URL(process.argv[2] ?? '');

/** Why a connection fails; undefined if it succeeds. */
function fault() {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || (protocol === 'http:' ? 80 : 443)) });
    const over = (reason) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(WITHIN, () => over('no answer'));
    socket.on('connect', () => over(undefined));
    socket.on('error', ({ code, message }) => over(code ?? message));
  });
}

endWith([process.ppid]);
for (;;) {
  const reason = await fault();
  if (reason !== undefined)
    process.stderr.write(`${hostname}, which npm installs from, cannot be reached (${reason}); still trying …\n`);
  await pause(EVERY);
}
