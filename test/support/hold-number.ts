import type { CommandLoop } from '#eventsourcing';
import { reservation, type InventoryCommand } from '#purchasing/model';

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
