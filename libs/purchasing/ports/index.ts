// `#purchasing/ports`: what this context asks of others, for those who answer it.
export * from './deal-details.js';
export * from './payment-gateway.js';
