import { Module } from '@nestjs/common';
import {
  ChangePartnerHandler,
  CreatePartnerHandler,
  EnrolPartnerHandler,
  IssueKeyHandler,
  ReplacePasswordHandler,
  RevokeKeyHandler,
} from './partner/partner.commands.js';
import { ListPartnersHandler } from './partner/partner.queries.js';
import { PartnersController } from './partner/partners.controller.js';

@Module({
  controllers: [PartnersController],
  providers: [
    CreatePartnerHandler,
    EnrolPartnerHandler,
    IssueKeyHandler,
    RevokeKeyHandler,
    ReplacePasswordHandler,
    ChangePartnerHandler,
    ListPartnersHandler,
  ],
})
export class PartnersModule {}
