import { type Html, ownHtml as html } from '#http';
import { curlOf } from './curl.js';
import { prose, proseParts } from './prose.js';
import { schemaPart, typeOf } from './schema.part.js';
import {
  nameIn,
  resolved,
  type Answer,
  type Content,
  type Document,
  type Operation,
  type Parameter,
  type ShownCall,
} from './shapes.js';

/** A call: its parameters, its answers, and a line of curl. */
export function callPart(call: ShownCall, document: Document): Html {
  const { method, path, operation } = call;
  const answers = Object.entries(operation.responses);
  const own = answers.filter(([, { $ref }]) => $ref === undefined);
  const shared = answers.filter(([, { $ref }]) => $ref !== undefined);
  const parameters = operation.parameters.map((each) => resolved(each, document.components.parameters));
  return html`<article id="${operation.operationId}" aria-labelledby="title-${operation.operationId}">
    <h3 id="title-${operation.operationId}"><span class="method">${method}</span> <code>${path}</code></h3>
    <p>${prose(operation.summary)}</p>
    <p class="soft">${whoMayCall(operation, document)}</p>
    ${parameters.length === 0 ? null : parametersTable(parameters)} ${bodyPart(operation)}
    <h4>By curl</h4>
    <pre><code>${curlOf(call, document)}</code></pre>
    <h4>Answers</h4>
    ${own.map(([status, answer]) => answerPart(status, answer, document))}
    <p>
      As every call of its kind:
      ${shared.map(([status, { $ref = '' }], n) => html`${n === 0 ? '' : ', '}<a href="#answer-${nameIn($ref)}">${status}</a>`)}.
    </p>
  </article>`;
}

function whoMayCall({ security }: Operation, { components }: Document): string {
  const names = security.flatMap((each) => Object.keys(each));
  if (names.length === 0) return 'No credential is needed.';
  const [scope] = security.flatMap((each) => Object.values(each).flat());
  const all = `With one of these: ${names.map((name) => `${name} (${components.securitySchemes[name]?.description ?? ''})`).join(' ')}`;
  return scope === undefined ? all : `${all} The scope is ${scope}.`;
}

function parametersTable(parameters: readonly Parameter[]): Html {
  return html`<h4>Parameters</h4>
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">In</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${parameters.map(
          (each) =>
            html`<tr>
              <th scope="row"><code>${each.name}</code>${each.required === true ? ' (required)' : ''}</th>
              <td>${each.in}</td>
              <td>${typeOf(each.schema)}</td>
              <td>${prose(each.description ?? '')}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

function bodyPart({ requestBody }: Operation): Html | null {
  if (requestBody === undefined) return null;
  const [first] = Object.values(requestBody.content);
  return html`<h4>Body</h4>
    <p>
      ${requestBody.required === true ? 'Required' : 'May be left out'}:
      ${Object.keys(requestBody.content).join(' or ')}
    </p>
    ${first?.schema === undefined ? null : schemaPart(first.schema, 'required')} ${examplesPart(first)}`;
}

/** An answer of this call alone. Answers of many calls stand once, below. */
function answerPart(status: string, answer: Answer, document: Document): Html {
  return html`<details>
    <summary>${status}</summary>
    ${proseParts(answer.description ?? '')} ${detailsPart(answer, document)}
  </details>`;
}

/** An answer that many calls have. */
export function sharedAnswerPart(status: string, answer: Answer, document: Document): Html {
  return html`<article id="answer-${status}" aria-labelledby="title-answer-${status}">
    <h3 id="title-answer-${status}">${status}</h3>
    ${proseParts(answer.description ?? '')} ${detailsPart(answer, document)}
  </article>`;
}

function detailsPart(answer: Answer, { components }: Document): Html {
  const headers = Object.entries(answer.headers ?? {}).map(
    ([name, header]) =>
      html`<li><code>${name}</code> ${prose(resolved(header, components.headers).description ?? '')}</li>`,
  );
  return html`${Object.entries(answer.content ?? {}).map(
    ([type, content]) =>
      html`<p><code>${type}</code></p>
        ${content.schema === undefined ? null : schemaPart(content.schema)} ${examplesPart(content)}`,
  )}
  ${
    headers.length === 0
      ? null
      : html`<p>Headers:</p>
          <ul>
            ${headers}
          </ul>`
  }`;
}

function examplesPart(content: Content | undefined): Html | null {
  if (content === undefined) return null;
  const values = content.example === undefined ? [] : [content.example];
  const all = [...values, ...Object.values(content.examples ?? {}).map(({ value }) => value)];
  return html`${all.map((each) => html`<pre><code>${JSON.stringify(each, null, 2)}</code></pre>`)}`;
}
