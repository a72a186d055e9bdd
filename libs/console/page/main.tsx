import { render } from 'preact';
import { askWho } from './api.js';
import { App } from './app.js';
import { followLive } from './live.js';
import { followLinks } from './router.js';

const root = document.getElementById('console');
if (root !== null) {
  followLinks();
  followLive();
  void askWho();
  render(<App />, root);
}
