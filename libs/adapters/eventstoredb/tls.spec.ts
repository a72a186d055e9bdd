import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDbLog } from '#adapters/eventstoredb';
import { NO_STREAM } from '#eventsourcing';
import { Authority, hasOpenssl } from '../../../test/support/certificates.js';
import { EventStoreDbDouble } from '../../../test/support/eventstoredb/server.js';
import { numbered } from '../../../test/support/numbered.js';
import { tempFolder } from '../../../test/support/temp-folder.js';

(hasOpenssl ? describe : describe.skip)('G9: a server with TLS', () => {
  const folder = tempFolder();
  let double: EventStoreDbDouble;
  let server: Server;
  let names: unknown[];
  let ca: string;

  beforeAll(async () => {
    const authority = new Authority(folder.path);
    const { cert, key } = authority.issue('server', 'EC');
    writeFileSync((ca = join(folder.path, 'authority.pem')), authority.pem);
    double = await EventStoreDbDouble.start();
    const options = { cert: readFileSync(cert), key: readFileSync(key), ALPNProtocols: ['h2'] };
    server = createServer(options, (socket: TLSSocket) => {
      names.push(socket.servername);
      const onward = connect(double.port, double.host);
      socket.pipe(onward).on('error', () => socket.destroy());
      onward.pipe(socket).on('error', () => onward.destroy());
    });
    server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    names = [];
  });
  afterEach(() => void (names = []));
  afterAll(() => {
    double.close();
    server.close();
    folder.remove();
  });

  const url = (host: string, options: string): string =>
    `esdb://${host}:${(server.address() as AddressInfo).port}?${options}`;

  it('is reached by its address, which is not sent as a name: Node would warn of that', async () => {
    const log = await EventStoreDbLog.open({ url: url('127.0.0.1', `tlsCAFile=${ca}`), prefix: 'address_' });
    expect(await log.append([numbered('deal-1', NO_STREAM, 1)])).toMatchObject([{ kind: 'written' }]);
    await log.close();
    expect(new Set(names)).toEqual(new Set([false]));
  });

  it.each([
    ['of another authority', '127.0.0.1', () => ''],
    ['for another name', 'localhost', () => `tlsCAFile=${ca}`],
  ])('is not reached if its certificate is %s', async (_, host, options) => {
    const opened = EventStoreDbLog.open({ url: url(host, options()), prefix: 'other_', openWithin: 0 });
    await expect(opened).rejects.toThrow('its certificate is not trusted, or is for another name');
  });

  it('that is asked without TLS is refused at once, by the name of the option', async () => {
    const began = performance.now();
    await expect(EventStoreDbLog.open({ url: url('127.0.0.1', 'tls=false') })).rejects.toThrow(
      new TypeError('EVENTSTORE_URL has tls=false, but the server requires TLS: leave tls=false out'),
    );
    // It would wait for 30 s.
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});
