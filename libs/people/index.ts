export { findCard } from './card/card.queries.js';
export { readCard, type CardDetails } from './card/card.schema.js';
export { openCard } from './card/card.vault.js';
export { StoreCard } from './card/store-card.commands.js';
export { wallet } from './card/wallet.decider.js';
export { CreateUser } from './user/create-user.commands.js';
export { user } from './user/user.decider.js';
export { FindUser } from './user/user.queries.js';
