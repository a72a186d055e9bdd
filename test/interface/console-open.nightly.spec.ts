import './console-open.world.spec.js';
