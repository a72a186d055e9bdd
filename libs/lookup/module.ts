import { Module } from '@nestjs/common';
import { BatchController } from './batch/batch.controller.js';
import { FindController } from './find/find.controller.js';
import { listController } from './list/list.controller.js';
import { LISTS } from './lists/index.js';
import { PersonController } from './person/person.controller.js';

// Paths without a parameter come first: `/operators/users` is a list.
@Module({ controllers: [...LISTS.map(listController), FindController, PersonController, BatchController] })
export class LookupModule {}
