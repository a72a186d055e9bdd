import { Controller, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Freshness, PersonalData } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type Call,
  DeleteCall,
  Describe,
  DescribeUnder,
  ListOfCaller,
  ListOfUser,
  partnerOf,
  PostCall,
  SUCCESS,
  success,
  TheCall,
  TokenScope,
  type UsersList,
  usersPageOf,
} from '#http';
import { openProfile, type Profile } from '../user/profile.js';
import { FindUser } from '../user/user.queries.js';
import type { AddressStored } from './address.events.js';
import { SHIPPING_ADDRESS } from './address.answer.js';
import { presentAddress } from './address.present.js';
import { ListAddresses, OwnerOfAddress } from './address.queries.js';
import { readStoreAddress, STORE_ADDRESS, type Address } from './address.schema.js';
import { RemoveAddress } from './remove-address.commands.js';
import { StoreAddress } from './store-address.commands.js';

const STORE_EXAMPLE = {
  user_id: '<user_id>',
  name: 'Grace Hopper',
  address_one: '1 Main St',
  postal_code: '02114',
  city: 'Boston',
  state: 'MA',
  country: 'US',
};

const LIST: UsersList = { name: 'shipping_addresses', item: SHIPPING_ADDRESS };

/** Shipping addresses of users (ruling D13). */
@AllowFor('partner')
@TokenScope('user')
@DescribeUnder('Shipping addresses')
@Controller()
export class AddressesController {
  constructor(
    private readonly freshness: Freshness,
    private readonly personalData: PersonalData,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary: 'Stores a shipping address of a user.',
    parameters: STORE_ADDRESS,
    answer: success({ shipping_address_id: z.string() }),
    example: STORE_EXAMPLE,
  })
  @PostCall('shipping_addresses')
  async store(@TheCall() call: Call): Promise<object> {
    const { userId, address } = readStoreAddress(call.parameters);
    const command = new StoreAddress(partnerOf(call).id, userId, address, call.command);
    const { row, position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success', shipping_address_id: row };
  }

  @TokenScope('user', { shipping_address_id: OwnerOfAddress })
  @Describe({
    summary:
      'Removes a shipping address of a user from their list; no new purchase ships to it, and earlier ones keep it. An address that was removed stays so, with the same answer; whoever stores it again has the same one again.',
    answer: SUCCESS,
  })
  @DeleteCall('shipping_addresses/:shipping_address_id')
  async remove(@TheCall() call: Call, @Param('shipping_address_id') id: string): Promise<object> {
    const command = new RemoveAddress(partnerOf(call).id, id, call.command);
    const { position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success' };
  }

  @ListOfUser(LIST)
  list(@TheCall() call: Call, @Param('user_id') userId: string): Promise<object> {
    return this.#list(call, userId);
  }

  @ListOfCaller(LIST)
  listOwn(@TheCall() call: Call): Promise<object> {
    return this.#list(call);
  }

  async #list(call: Call, inPath?: string): Promise<object> {
    const { partnerId, userId, named, paging, since } = usersPageOf(call, this.freshness, 'shipping_address', inPath);
    const user = await this.queries.execute(new FindUser(partnerId, userId, since, named));
    const found = await this.queries.execute(new ListAddresses(userId, paging, since));
    return answerList(found, async (rows) => {
      const profile = await openProfile(this.personalData, user);
      return { shipping_addresses: await Promise.all(rows.map((row) => this.#present(row, profile))) };
    });
  }

  async #present({ address_id, user_id, address }: AddressStored, user: Profile | null): Promise<object> {
    return presentAddress(address_id, await this.personalData.open<Address>(user_id, address), user);
  }
}
