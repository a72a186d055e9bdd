// `#adapters/sandbox-gateway/http`: the sandbox gateway as a process of its own, at both ends of the line.
export * from './http-sandbox-gateway.js';
export * from './sandbox-server.js';
