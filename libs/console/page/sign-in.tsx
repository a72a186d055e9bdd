import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { signedOutBecause, signIn, type Failure } from './api.js';
import { Failed, failureOf } from './ui/loaded.js';

/** Signing in with a token, which is typed once and kept nowhere. */
export function SignIn(): VNode {
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const token = (form.elements.namedItem('token') as HTMLInputElement).value.trim();
    if (token === '') return;
    setBusy(true);
    setFailure(undefined);
    signIn(token)
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <main class="sign-in">
      <p class="brand">Holdfast</p>
      <h1>Console</h1>
      {signedOutBecause.value !== undefined && (
        <p class="note warn" role="status">
          {signedOutBecause.value}
        </p>
      )}
      <form class="stack" onSubmit={submit}>
        <label class="field">
          <span>Token of an operator or auditor</span>
          <input
            name="token"
            type="password"
            autoComplete="off"
            required
            aria-describedby="token-hint"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page has one field, and nothing before it
            autoFocus
          />
          <small id="token-hint">
            That of the first start is in <code>data/operator.token</code>. <code>holdfast tokens issue</code> makes
            others.
          </small>
        </label>
        {failure !== undefined && <Failed failure={failure} />}
        <button type="submit" class="main" disabled={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <p class="soft">
        The session ends after 30 minutes without use. The token is not kept in this browser.{' '}
        <a href="/">What is this service?</a>
      </p>
    </main>
  );
}
