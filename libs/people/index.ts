export { CreateUser } from './user/create-user.commands.js';
export { user } from './user/user.decider.js';
export { FindUser } from './user/user.queries.js';
export type { UserRow } from './user/user.row.js';
export { usersView } from './user/user.view.js';
