import './two-services.world.spec.js';
