import { type Html, ownHtml as html } from '#http';
import { callPart, sharedAnswerPart } from './operation.part.js';
import { prose, proseParts } from './prose.js';
import { schemaPart } from './schema.part.js';
import type { Document, ShownCall } from './shapes.js';

/** The API reference as one page without scripts that loads nothing: people can read, search, print and save it. */
export function referencePage(document: Document): Html {
  const { info, tags, paths, components } = document;
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): ShownCall => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  const groups = tags.map((tag) => ({
    ...tag,
    calls: calls.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  return html`<a class="skip" href="#calls">To the calls</a>
    <header>
      <h1>${info.title}: reference</h1>
      <p class="soft">
        Version ${info.version}, commit ${info['x-commit']} · <a href="openapi.json">openapi.json</a> for programs
      </p>
      ${proseParts(info.description)}
    </header>
    <nav aria-label="Calls">
      <h2>All calls</h2>
      ${groups.map(
        (group) =>
          html`<h3><a href="#group-${slug(group.name)}">${group.name}</a></h3>
            <ul>
              ${group.calls.map(
                ({ method, path, operation }) =>
                  html`<li>
                    <a href="#${operation.operationId}"><span class="method">${method}</span> ${path}</a>
                    ${prose(operation.summary)}
                  </li>`,
              )}
            </ul>`,
      )}
      <h3><a href="#failures">Failures</a></h3>
      <h3><a href="#schemas">Schemas</a></h3>
    </nav>
    <main id="calls">
      ${groups.map(
        (group) =>
          html`<section id="group-${slug(group.name)}" aria-labelledby="name-${slug(group.name)}">
            <h2 id="name-${slug(group.name)}">${group.name}</h2>
            <p>${prose(group.description)}</p>
            ${group.calls.map((call) => callPart(call, document))}
          </section>`,
      )}
      <section id="failures" aria-labelledby="name-failures">
        <h2 id="name-failures">Failures</h2>
        ${Object.entries(components.responses).map(([status, answer]) => sharedAnswerPart(status, answer, document))}
      </section>
      <section id="schemas" aria-labelledby="name-schemas">
        <h2 id="name-schemas">Schemas</h2>
        ${Object.entries(components.schemas).map(
          ([name, schema]) =>
            html`<article id="schema-${name}" aria-labelledby="title-schema-${name}">
              <h3 id="title-schema-${name}">${name}</h3>
              <p>${prose(schema.description ?? '')}</p>
              ${schemaPart(schema)}
            </article>`,
        )}
      </section>
    </main>`;
}

function slug(name: string): string {
  return name.toLowerCase().replace(/\W+/g, '-');
}
