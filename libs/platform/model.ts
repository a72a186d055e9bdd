export { codec, views } from './registry.js';
