import { setTimeout as pause } from 'node:timers/promises';

/** The service as a buyer sees it; true for success. */
export interface Shop {
  /** The reservation's id; undefined when refused. */
  reserve(deal: string): Promise<string | undefined>;
  claim(deal: string, reservation: string, user: string): Promise<boolean>;
  release(deal: string, reservation: string): Promise<void>;
}

/** The result of a race on one deal. */
export interface Race {
  /** The users of the successful claims. */
  readonly bought: readonly string[];
  readonly refused: number;
  readonly released: number;
}

/**
 * All buyers at once want a unit of one deal with `units` units; several act for the same user. A buyer without a reservation
 * tries again as long as units may come back; one who may not claim releases, and the others try again.
 */
export async function race(
  shop: Shop,
  deal: string,
  options: { readonly buyers: number; readonly users: readonly string[]; readonly units: number },
): Promise<Race> {
  const { buyers, users, units } = options;
  const bought: string[] = [];
  let refused = 0;
  let released = 0;
  const buy = async (user: string): Promise<void> => {
    while (bought.length < units) {
      const reservation = await shop.reserve(deal);
      if (reservation === undefined) {
        refused += 1;
        await pause(1 + Math.random() * 10);
      } else if (await shop.claim(deal, reservation, user)) {
        bought.push(user);
      } else {
        released += 1;
        await shop.release(deal, reservation);
        return;
      }
    }
  };
  // Buyers of one user are neighbours: the first reservations go to few users, some of whom may not claim.
  const userOf = (buyer: number): string => users[Math.floor((buyer * users.length) / buyers)] ?? '';
  await Promise.all(Array.from({ length: buyers }, (_, buyer) => buy(userOf(buyer))));
  return { bought, refused, released };
}

/** How many units each user has. */
export function perUser(users: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const user of users) counts.set(user, (counts.get(user) ?? 0) + 1);
  return counts;
}
