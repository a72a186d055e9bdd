import type { CommandContext, Writer } from '#eventsourcing';
import { DomainError, instantAt, refuseAllTogether, type Instant } from '#kernel';
import { inventory, type InventoryCommand } from '#purchasing/model';
import { region } from '../region/region.decider.js';
import { deal, type DealCommand } from './deal.decider.js';
import type { DealInput } from './deal.schema.js';
import type { DealState } from './deal.state.js';
import { NewCodes } from './new-codes.js';

/** What else is known while a deal is rehearsed. */
interface Known {
  /** Whether an earlier try has put it: then its attributes are not decided again. */
  readonly isPut?: boolean;
  /** Whether a region will be there that is not there yet. */
  readonly isComing?: (region: string) => boolean;
}

/** What putting a deal writes. */
interface PutPlan {
  readonly command: Extract<DealCommand, { type: 'put' }>;
  /** What sets its stock. */
  readonly units: readonly InventoryCommand[];
  readonly codes: NewCodes;
  /**
   * Decides all of it, and writes nothing.
   * @returns how many events it would write
   * @throws DomainError with every refusal
   */
  readonly refuse: (known?: Known) => Promise<number>;
}

/** Plans to put a deal (ruling G4): what is written, and what refuses it. */
export async function planOf(
  writer: Writer,
  id: string,
  input: DealInput,
  arrives: DealState | undefined,
  context: CommandContext,
): Promise<PutPlan> {
  const expiry = await localExpiry(writer, id, input);
  const changes = typeof expiry === 'number' ? { ...input.attributes, expires_at: expiry } : input.attributes;
  const command = { type: 'put', deal_id: id, changes, arrives } as const;
  const units = input.stock === undefined ? [] : await settingStock(writer, id, input.stock, context);
  const codes = new NewCodes(writer, id, input.codes);
  const { region_id } = input.attributes;
  return {
    command,
    units,
    codes,
    refuse: async ({ isPut = false, isComing = () => false } = {}) => {
      let events = 0;
      await refuseAllTogether(
        async () => {
          if (!isPut) events += await writer.rehearse(deal, id, [command]);
        },
        async () => {
          if (region_id === undefined || isComing(region_id)) return;
          if ((await writer.read(region, region_id)) === null) throw new DomainError('region_not_found', 'not found');
        },
        async () => {
          if (typeof expiry === 'string') throw new DomainError('deal_expiry_not_one', expiry);
        },
        async () => {
          events += await codes.rehearse(units);
        },
      );
      return events;
    },
  };
}

/**
 * Decides a deal as `PutDeal` does, and writes nothing.
 * @param isComing whether a region will be there that is not there yet
 * @returns whether it would change anything
 * @throws DomainError with every refusal
 */
export async function rehearseDeal(
  writer: Writer,
  { id, input, arrives }: { readonly id: string; readonly input: DealInput; readonly arrives?: DealState | undefined },
  context: CommandContext,
  isComing: (region: string) => boolean,
): Promise<boolean> {
  const { refuse } = await planOf(writer, id, input, arrives, context);
  return (await refuse({ isComing })) > 0;
}

/** The moment of an expiry in local time, or why it is none; undefined without one, or without a region. */
async function localExpiry(
  writer: Writer,
  id: string,
  { attributes, localExpiry: local }: DealInput,
): Promise<Instant | string | undefined> {
  if (local === undefined) return undefined;
  const regionId = attributes.region_id ?? (await writer.read(deal, id))?.attributes.region_id;
  const of = regionId === undefined ? null : await writer.read(region, regionId);
  return of === null ? undefined : instantAt(local, of.time_zone);
}

/** The command that sets a deal's stock; none if an earlier try has set it, because another operator may have changed it since. */
export async function settingStock(
  writer: Writer,
  id: string,
  units: number | null,
  context: CommandContext,
): Promise<readonly InventoryCommand[]> {
  const looked = (await writer.read(inventory, id)).recent.closings;
  const before = await writer.repeat(context, inventory, id, { types: ['stock-set.v1'] });
  return before === undefined ? [{ type: 'set-stock', units, change_id: context.commandId, looked }] : [];
}
