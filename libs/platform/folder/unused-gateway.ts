import { PaymentGateway } from '#purchasing';
import type { OpenedGateway } from '../engines/gateways.js';

/** The gateway of a process that only reads: nobody asks it. */
class UnusedGateway extends PaymentGateway {
  get name(): string {
    return 'none';
  }

  charge(): Promise<never> {
    return this.#refuse();
  }

  refund(): Promise<never> {
    return this.#refuse();
  }

  cancel(): Promise<never> {
    return this.#refuse();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #refuse(): Promise<never> {
    return Promise.reject(new Error('a process that only reads moves no money'));
  }
}

export const unusedGateway = (): OpenedGateway => new UnusedGateway();
