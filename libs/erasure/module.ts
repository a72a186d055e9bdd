import { Module } from '@nestjs/common';
import { EraseBuyerHandler, EraseUserHandler } from './erasure.commands.js';
import { ErasureController } from './erasure.controller.js';

@Module({ controllers: [ErasureController], providers: [EraseUserHandler, EraseBuyerHandler] })
export class ErasureModule {}
