import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';

// Answers whatever comes with the same bytes, without reading it. It shows how much the load generator itself can do.
const [file = ''] = process.argv.slice(2);
const body = readFileSync(file, 'utf8');
const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
const answer = Buffer.from(`${head}${body}`);

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('data', () => socket.write(answer));
  // Whoever measured has gone.
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready at 127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
