export {
  CreatePartner,
  EnrolPartner,
  findPartner,
  isSuspended,
  rehearseEnrolment,
  storefrontUrlOf,
  validKeysOf,
} from './partner/partner.commands.js';
export { partnerIdFrom } from './partner/partner-id.js';
export { KeyUses } from './partner/key-uses.js';
export { PartnerKeys } from './partner/partner-keys.js';
export { addressAt } from './partner/storefront.js';
export { PartnerPasswords } from './partner/partner-passwords.js';
