/** A mail server, and how to reach it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /**
   * `always`: TLS from the first byte (port 465). `starttls`: the connection changes to TLS before anything else is said, or no
   * mail is sent. `none`: no TLS.
   */
  readonly tls: 'always' | 'starttls' | 'none';
  /** The certificates of the server's authority, in PEM; undefined: those that this machine trusts. */
  readonly ca: Buffer | undefined;
  /** undefined: the server asks for none. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

/** Its name for people, without credentials. */
export function nameOf({ host, port }: SmtpServer): string {
  return `the mail server ${host.includes(':') ? `[${host}]` : host}:${port}`;
}
