export {
  CreatePartner,
  EnrolPartner,
  findPartner,
  nameOfPartner,
  storefrontUrlOf,
  type NewPartner,
} from './partner/partner.commands.js';
export { keysFit } from './partner/partner-id.js';
export { PartnerKeys } from './partner/partner-keys.js';
export { addressAt } from './partner/storefront.js';
export { PartnerPasswords } from './partner/partner-passwords.js';
