import './server-clocks.world.spec.js';
