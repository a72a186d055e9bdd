import type { CommandLoop } from '#eventsourcing';
import { reservation, type InventoryCommand } from '#purchasing/model';
import { terms } from './sale.js';
import type { Shop } from './shop.js';

/** The command with the number of its reservation, as its handler sends it; as it is if it names none, or an unknown one. */
export async function withHoldNumber(
  loop: Pick<CommandLoop, 'read'>,
  command: InventoryCommand,
): Promise<InventoryCommand> {
  if (command.type !== 'claim' && command.type !== 'release') return command;
  const id = command.type === 'claim' ? command.purchase_id : command.reservation_id;
  const state = await loop.read(reservation, id);
  return state.status === 'none' ? command : { ...command, number: state.placed.number };
}

/** The inventory's command to sell a reservation to the shop's user, as its handler sends it. */
export function claimOfHold(
  shop: Shop,
  id: string,
  coupons: Extract<InventoryCommand, { type: 'claim' }>['coupons'],
): Promise<InventoryCommand> {
  return withHoldNumber(shop.engine.loop, {
    type: 'claim',
    number: 0,
    purchase_id: id,
    partner_id: 'acme',
    user_id: shop.ann,
    holder_id: null,
    quantity: coupons.length,
    price: 500,
    deal: terms().deal,
    reserved_at: shop.engine.clock.now(),
    coupons,
  });
}
