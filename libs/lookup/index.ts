export { recordRead } from './person/record-read.js';
