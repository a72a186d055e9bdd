export { FulfilledLinks } from './card-link/fulfilled-links.js';
