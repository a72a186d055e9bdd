import './filled-node.world.spec.js';
