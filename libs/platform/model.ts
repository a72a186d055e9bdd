export { codec, views, viewsOn } from './registry.js';
