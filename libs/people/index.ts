export { address } from './address/address.decider.js';
export { readAddress, type Address } from './address/address.schema.js';
export { StoreAddress } from './address/store-address.commands.js';
export { CreateUser } from './user/create-user.commands.js';
export { findUserByEmail } from './user/create-user.js';
export { newProfile, openProfile, type GivenProfile, type Profile } from './user/profile.js';
export { user } from './user/user.decider.js';
export { FindUser } from './user/user.queries.js';
export { readNewUser, readUserEmail, type NewUser } from './user/user.schema.js';
