import './snapshots.world.spec.js';
