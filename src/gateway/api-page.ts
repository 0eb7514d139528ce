/** The page at `/docs`. */
export const apiPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Journeyman API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/page.css">
    <script src="/docs/swagger-ui.js" defer></script>
    <script src="/docs/page.js" defer></script>
  </head>
  <body>
    <form id="key" hidden>
      <label for="value">This gateway asks for an API key or a token. It stays in this page and is sent to this gateway only.</label>
      <input id="value" type="password" autocomplete="off" spellcheck="false" required>
      <button type="submit">Show the API</button>
      <p id="refused" role="alert"></p>
    </form>
    <div id="api"></div>
    <noscript>This page needs JavaScript. The document itself is at <a href="/openapi.yaml">/openapi.yaml</a>.</noscript>
  </body>
</html>
`;

/** What the page does: it shows `/openapi.json`, and asks for a key where that needs one. */
export const apiPageScript = `'use strict';
const form = document.getElementById('key');
const refused = document.getElementById('refused');

async function show(key) {
  const response = await fetch('/openapi.json', key ? { headers: { authorization: 'Bearer ' + key } } : {});
  if (!response.ok) {
    form.hidden = false;
    const problem = await response.json().catch(() => ({}));
    refused.textContent = key ? problem.title || 'The gateway answered ' + response.status : '';
    return;
  }
  form.hidden = true;
  const ui = SwaggerUIBundle({
    spec: await response.json(),
    dom_id: '#api',
    deepLinking: true,
    docExpansion: 'none',
    validatorUrl: null,
    persistAuthorization: false,
    onComplete: () => key && ui.preauthorizeApiKey('bearer', key),
  });
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void show(document.getElementById('value').value.trim());
});
void show();
`;

/** How the page looks beside what it shows. */
export const apiPageStyle = `body { margin: 0; background: #fff; font-family: system-ui, sans-serif; }
#key { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; display: grid; gap: 0.75rem; }
#key[hidden] { display: none; }
#key input, #key button { font: inherit; padding: 0.5rem; }
#refused { color: #b00020; margin: 0; min-height: 1.2em; }
noscript { display: block; margin: 2rem; }
`;
