import { Module } from '@nestjs/common';
import { Keyring, PersonalData, Writer } from '#eventsourcing';
import { AccessTokensController } from './access-token/access-tokens.controller.js';
import { ListAccessTokensHandler } from './access-token/access-token.queries.js';
import { EndAccessTokenHandler } from './access-token/end-access-token.commands.js';
import { IssueAccessTokenHandler } from './access-token/issue-access-token.commands.js';
import { ListCardsHandler, OwnerOfCardHandler } from './card/card.queries.js';
import { CreditCardsController } from './card/credit-cards.controller.js';
import { DeleteCardHandler } from './card/delete-card.commands.js';
import { SetDefaultCardHandler } from './card/set-default-card.commands.js';
import { StoreCardHandler } from './card/store-card.commands.js';
import { ListAddressesHandler, OwnerOfAddressHandler } from './address/address.queries.js';
import { AddressesController } from './address/addresses.controller.js';
import { RemoveAddressHandler } from './address/remove-address.commands.js';
import { StoreAddressHandler } from './address/store-address.commands.js';
import { ChangeUserHandler } from './user/change-user.commands.js';
import { CreateUserHandler } from './user/create-user.commands.js';
import { UpdateByEmailHandler } from './user/update-by-email.commands.js';
import { FindUserHandler, FindUserWithEmailHandler, UserNamedHandler } from './user/user.queries.js';
import { UserParts } from './user/user-parts.js';
import { UsersController } from './user/users.controller.js';

@Module({
  controllers: [UsersController, AccessTokensController, AddressesController, CreditCardsController],
  providers: [
    {
      provide: UserParts,
      useFactory: (writer: Writer, keyring: Keyring, personalData: PersonalData) =>
        new UserParts(writer, keyring, personalData),
      inject: [Writer, Keyring, PersonalData],
    },
    CreateUserHandler,
    ChangeUserHandler,
    UpdateByEmailHandler,
    FindUserHandler,
    FindUserWithEmailHandler,
    UserNamedHandler,
    StoreAddressHandler,
    RemoveAddressHandler,
    ListAddressesHandler,
    OwnerOfAddressHandler,
    StoreCardHandler,
    SetDefaultCardHandler,
    DeleteCardHandler,
    ListCardsHandler,
    OwnerOfCardHandler,
    IssueAccessTokenHandler,
    EndAccessTokenHandler,
    ListAccessTokensHandler,
  ],
})
export class PeopleModule {}
