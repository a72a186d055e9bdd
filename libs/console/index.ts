export { ConsoleSessions, SESSIONS_ENTRY } from './console-sessions.js';
export { mountConsole } from './mount-console.js';
