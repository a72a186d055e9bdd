import { Module } from '@nestjs/common';
import { CreateUserHandler } from './user/create-user.commands.js';
import { FindUserHandler } from './user/user.queries.js';
import { UsersController } from './user/users.controller.js';

@Module({ controllers: [UsersController], providers: [CreateUserHandler, FindUserHandler] })
export class PeopleModule {}
