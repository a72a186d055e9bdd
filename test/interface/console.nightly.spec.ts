import './console.world.spec.js';
