import { render } from 'preact';

const root = document.getElementById('console');
if (root !== null)
  render(
    <main>
      <h1>Holdfast console</h1>
    </main>,
    root,
  );
