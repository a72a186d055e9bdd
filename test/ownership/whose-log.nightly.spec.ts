import './whose-log.world.spec.js';
