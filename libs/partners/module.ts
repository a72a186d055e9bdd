import { Module } from '@nestjs/common';
import {
  CreatePartnerHandler,
  EnrolPartnerHandler,
  IssueKeyHandler,
  ReplacePasswordHandler,
  RevokeKeyHandler,
  SetStorefrontHandler,
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
    SetStorefrontHandler,
    ListPartnersHandler,
  ],
})
export class PartnersModule {}
