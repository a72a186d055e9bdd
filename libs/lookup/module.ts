import { Module } from '@nestjs/common';
import { listController } from './list/list.controller.js';
import { LISTS } from './lists/index.js';

@Module({ controllers: LISTS.map(listController) })
export class LookupModule {}
