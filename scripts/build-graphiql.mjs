/**
 * Bundles GraphiQL and its dependencies into dist/graphiql, for a page that sends requests only to this server. The names of
 * the files have a hash of their content, and each file has a .gz beside it; .manifest.json lists them.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildStatic, filesIn } from './static-build.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const sources = path.join(root, 'scripts', 'graphiql');
const target = path.join(root, 'dist', 'graphiql');
/** That of the console, too. */
const iconFile = path.join(root, 'console', 'src', 'favicon.svg');

const CONTENT_TYPES = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
};

/** Monaco runs its languages in workers; GraphiQL's own set-up of them (setup-workers/esm.sh) uses a CDN. */
const workers = {
  editor: 'monaco-editor/esm/vs/editor/editor.worker.js',
  json: 'monaco-editor/esm/vs/language/json/json.worker.js',
  graphql: 'monaco-graphql/esm/graphql.worker.js',
};

const shared = {
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  target: 'es2022',
  legalComments: 'none',
  outdir: target,
  absWorkingDir: root,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' },
  loader: { '.ttf': 'dataurl', '.woff': 'dataurl', '.woff2': 'dataurl' },
  logLevel: 'error',
};

/** Replaces parts of a file of a package; fails when a part is missing in a new version of the package. */
function change(name, filter, ours, replacements) {
  return {
    name,
    setup({ onLoad }) {
      onLoad({ filter }, async ({ path: file }) => {
        let contents = await readFile(file, 'utf8');
        const from = JSON.stringify(path.join(sources, ours));
        for (const [theirs, instead] of replacements(from)) {
          if (!contents.includes(theirs))
            throw new Error(`${file} does not contain the expected text: ${theirs}`);
          contents = contents.replace(theirs, () => instead);
        }
        return { contents, loader: 'js' };
      });
    },
  };
}

const changes = [
  /** Replaces the arguments in GraphiQL's list of the fields of a type. */
  change(
    'short-arguments',
    /plugin-doc-explorer.dist.components.type-documentation\.js$/,
    'field-arguments.mjs',
    (from) => [
      ['import { Argument } from "./argument.js";', `import { Argument, listedArguments } from ${from};`],
      ['"args" in field ? field.args.filter(_temp4) : []', 'listedArguments(field)'],
    ],
  ),
  /** Passes the schema to the worker of monaco-graphql as the text that the server has sent. */
  change('schema-text', /monaco-graphql.esm.utils\.js$/, 'schema-text.mjs', (from) => [
    ['import { buildASTSchema,', `import { schemaText } from ${from};\nimport { buildASTSchema,`],
    ['documentString: printSchema(graphQLSchema),', '...schemaText(graphQLSchema),'],
  ]),
];

/** Returns the name of the file of an entry point. */
function outputOf(result, entry) {
  const found = Object.entries(result.metafile.outputs).find(([, output]) =>
    output.entryPoint?.endsWith(entry),
  );
  if (!found) throw new Error(`esbuild wrote nothing for ${entry}`);
  return { name: path.basename(found[0]), style: found[1].cssBundle && path.basename(found[1].cssBundle) };
}

async function bundle() {
  // Loaded only where something has changed.
  const { build } = await import('esbuild');
  const workerResult = await build({
    ...shared,
    entryPoints: Object.fromEntries(Object.entries(workers).map(([name, file]) => [`${name}.worker`, file])),
    format: 'iife',
  });
  const names = Object.fromEntries(
    Object.entries(workers).map(([name, file]) => [name, `./${outputOf(workerResult, file).name}`]),
  );
  const pageResult = await build({
    ...shared,
    entryPoints: [path.join(sources, 'page.mjs')],
    format: 'esm',
    splitting: true,
    plugins: changes,
    define: { ...shared.define, WORKERS: JSON.stringify(names) },
  });
  const icon = await readFile(iconFile);
  const iconName = `favicon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  const files = [...workerResult.outputFiles, ...pageResult.outputFiles].map(({ path: file, contents }) => ({
    name: path.basename(file),
    contents,
  }));
  const page = outputOf(pageResult, 'scripts/graphiql/page.mjs');
  return { page, iconName, files: [...files, { name: iconName, contents: icon }] };
}

async function write(folder, { page, iconName, files }) {
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(({ name, contents }) => writeFile(path.join(folder, name), contents)));
  const types = Object.fromEntries(files.map(({ name }) => [name, CONTENT_TYPES[path.extname(name)]]).sort());
  const manifest = { script: page.name, style: page.style, icon: iconName, files: types };
  await writeFile(path.join(folder, '.manifest.json'), JSON.stringify(manifest, null, 2));
}

await buildStatic({
  what: 'GraphiQL',
  target,
  sources: [
    ...(await filesIn(sources)),
    path.join(root, 'console', 'src', 'look.css'),
    ...['scripts/build-graphiql.mjs', 'scripts/static-build.mjs', 'package-lock.json'].map((name) =>
      path.join(root, name),
    ),
    iconFile,
  ],
  build: async (folder) => write(folder, await bundle()),
});
