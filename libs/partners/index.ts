export { CreatePartner, findPartner, type NewPartner } from './partner/partner.commands.js';
export { PartnerKeys } from './partner/partner-keys.js';
export { apiKeysView } from './partner/partner.view.js';
