// `#purchasing/ports`: what this context needs from other contexts and from adapters.
export * from './deal-details.js';
export * from './payment-gateway.js';
