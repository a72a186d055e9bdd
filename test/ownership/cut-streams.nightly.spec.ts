import './cut-streams.world.spec.js';
