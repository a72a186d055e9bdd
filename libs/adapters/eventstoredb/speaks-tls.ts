import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Host } from './connection-string.js';

/** How long a host may take for a handshake, in milliseconds. */
const WITHIN = 1_500;

/** Whether a host speaks TLS, whatever its certificate is. Sends nothing but a handshake, and never rejects. */
export function speaksTls({ address: host, port }: Host): Promise<boolean> {
  return new Promise((resolve) => {
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, ...servername, rejectUnauthorized: false, timeout: WITHIN });
    const over = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('secureConnect', () => over(true));
    socket.on('timeout', () => over(false)).on('error', () => over(false));
  });
}
