export { CreateUser } from './user/create-user.commands.js';
export { user } from './user/user.decider.js';
export { FindUser } from './user/user.queries.js';
