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

  override fresh(word: string): string {
    return super.fresh(`own-${this.only.slice(-8)}-${word}`);
  }
}
