import type { Json } from '../support/running-service.js';
import { World } from './conventions.table.js';

/** A world whose samples are all about one user. */
export class OneUser extends World {
  constructor(
    world: World,
    private readonly only: string,
  ) {
    super(world.service, world.acme, world.rival, world.basic);
  }

  override user(): Promise<string> {
    return Promise.resolve(this.only);
  }

  /** A hold that the user's own access token has placed: no token reaches another one (ruling I9). */
  override async held(): Promise<Json> {
    const path = `/users/${this.only}/access_tokens`;
    const body = { expires_in: 600, scope: 'purchase', access: 'write' };
    const issued = await this.service.ask('POST', path, { key: this.acme.key, body });
    const token = issued.body.access_token.id;
    const send = { deal_id: 'lunch', num_bought: 1 };
    return (await this.service.ask('POST', '/purchases/reserve', { token, body: send })).body.purchase;
  }

  override fresh(word: string): string {
    return super.fresh(`own-${this.only.slice(-8)}-${word}`);
  }
}
