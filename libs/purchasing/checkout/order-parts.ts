import { type Clock, type Keyring, type Reader, type Vault, type Writer } from '#eventsourcing';

/** What checking an order and storing its parties works with. */
export class OrderParts {
  constructor(
    readonly writer: Writer,
    readonly reader: Reader,
    readonly keyring: Keyring,
    readonly vault: Vault,
    readonly clock: Clock,
  ) {}
}
