import { Module } from '@nestjs/common';
import { ListCardsHandler } from './card/card.queries.js';
import { CreditCardsController } from './card/credit_cards.controller.js';
import { SetDefaultCardHandler } from './card/set-default-card.commands.js';
import { StoreCardHandler } from './card/store-card.commands.js';
import { CreateUserHandler } from './user/create-user.commands.js';
import { FindUserHandler } from './user/user.queries.js';
import { UsersController } from './user/users.controller.js';

@Module({
  controllers: [UsersController, CreditCardsController],
  providers: [CreateUserHandler, FindUserHandler, StoreCardHandler, SetDefaultCardHandler, ListCardsHandler],
})
export class PeopleModule {}
