export { Certificate } from './certificate/certificate.js';
export { DealExport, type ReadStreams } from './certificate/deal-export.js';
