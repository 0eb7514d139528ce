// Copies the two files of Swagger UI that the page at /docs loads into dist, with their licence. `swagger-ui-dist` stays a development
// dependency: it is 12 MB and depends on a package that reports installations from an install script.
import { cpSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const to = fileURLToPath(new URL('../dist/swagger-ui', import.meta.url));

mkdirSync(to, { recursive: true });
for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'])
  cpSync(join(from, file), join(to, file));
