import './gateway-ledger.world.spec.js';
