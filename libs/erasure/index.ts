export { Eraser } from './eraser.js';
export { ErasureRegister } from './register.js';
