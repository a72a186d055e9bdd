/** Where the service is reached from outside. */
export class Site {
  /** Known once the service listens. */
  constructor(public publicUrl: string) {}
}
