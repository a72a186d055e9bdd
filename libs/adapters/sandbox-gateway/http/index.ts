// `#adapters/sandbox-gateway/http`: the sandbox gateway as its own process, server and client.
export * from './http-sandbox-gateway.js';
export * from './sandbox-server.js';
