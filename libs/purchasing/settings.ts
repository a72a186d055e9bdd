/** The installation's settings for purchases. */
export class PurchasingSettings {
  constructor(
    /** Milliseconds that a call to the payment gateway waits for its answer. */
    readonly gatewayTimeout: number,
  ) {}
}
