// `#ownership/clock`: whether this machine's clock and that of the log's server agree. Adapters load only this part.
export * from './clock-judge.js';
export * from './clock-watch.js';
export * from './server-clock.js';
