export {
  CreatePartner,
  EnrolPartner,
  findPartner,
  nameOfPartner,
  type NewPartner,
} from './partner/partner.commands.js';
export { keysFit } from './partner/partner-id.js';
export { PartnerKeys } from './partner/partner-keys.js';
export { PartnerPasswords } from './partner/partner-passwords.js';
