import type { Socket } from 'node:net';
import { connect, createSecureContext, type SecureContext } from 'node:tls';
import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js';
import type { Certificates } from './connection-string.js';

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;
type Options = Parameters<ChannelCredentials['_createSecureConnector']>[1];

/**
 * TLS to a host that is named by its address. gRPC would send the address as the name of the server, which TLS does not allow
 * (RFC 6066) and Node warns of. The certificate must be for the address, as ever.
 */
export class TlsToAddress extends ChannelCredentials {
  readonly #context: SecureContext;

  constructor(
    private readonly address: string,
    { tlsCAFile: ca, userKeyFile: key, userCertFile: cert }: Certificates,
  ) {
    super();
    this.#context = createSecureContext({ ...(ca && { ca }), ...(key && { key }), ...(cert && { cert }) });
  }

  override _isSecure(): boolean {
    return true;
  }

  override _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  override _createSecureConnector(
    _target: unknown,
    _options: Options,
    callCredentials = CallCredentials.createEmpty(),
  ): Connector {
    return {
      connect: async (socket) => ({ socket: await this.#connected(socket), secure: true }),
      waitForReady: () => Promise.resolve(),
      getCallCredentials: () => callCredentials,
      destroy: () => undefined,
    };
  }

  #connected(socket: Socket): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const secured = connect({ socket, host: this.address, secureContext: this.#context, ALPNProtocols: ['h2'] }, () =>
        resolve(secured),
      ).on('error', reject);
    });
  }
}
