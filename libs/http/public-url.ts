/** The URL under which the service is reached from outside. */
export class PublicUrl {
  /** Without a slash at the end. Known once the service listens. */
  constructor(public href: string) {}
}
