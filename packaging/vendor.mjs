// Runs in `npm pack`, after the build. Two packages are needed in small part: of Temporal's worker everything but its bundler (the workflow
// bundles are built already, and its bundler brings webpack and swc), of Swagger UI two files. Their parts go into dist/node_modules, where
// the compiled code finds them first; so an installed package depends on neither. docs/decisions/0022-installed.md has the figures.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const from = new URL('../node_modules/', import.meta.url).pathname;
const to = new URL('../dist/node_modules/', import.meta.url).pathname;

rmSync(to, { recursive: true, force: true });
if (process.argv[2] !== '--clean') {
  take('swagger-ui-dist', ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE']);
  take('@temporalio/worker', ['lib', 'LICENSE']);
  const bundler = join(to, '@temporalio/worker/lib/workflow/bundler.js');
  rmSync(bundler.replace(/\.js$/, ''), { recursive: true });
  withoutImports(bundler, ['unionfs', 'memfs', 'webpack', './bundler/patch-module-cache']);
}

function take(name, files) {
  const { version, license, main } = JSON.parse(readFileSync(join(from, name, 'package.json'), 'utf8'));
  mkdirSync(join(to, name), { recursive: true });
  writeFileSync(join(to, name, 'package.json'), `${JSON.stringify({ name, version, license, main }, null, 2)}\n`);
  for (const file of files) {
    cpSync(join(from, name, file), join(to, name, file), {
      recursive: true,
      filter: (path) => !/\.(map|d\.ts)$/.test(path),
    });
  }
}

/** What is not there cannot be asked for; a version of the SDK that asks for something else is noticed here, not by a user. */
function withoutImports(file, names) {
  let code = readFileSync(file, 'utf8');
  for (const name of names) {
    const parts = code.split(`require("${name}")`);
    if (parts.length !== 2) throw new Error(`${file} asks for ${name} ${parts.length - 1} times, not once`);
    code = parts.join('({})');
  }
  const rest = [...code.matchAll(/require\("((?!node:|\.)[^"]+)"\)/g)].map(([, name]) => name);
  if (rest.length > 0) throw new Error(`${dirname(file)} also asks for ${rest.join(', ')}`);
  writeFileSync(file, code);
}
