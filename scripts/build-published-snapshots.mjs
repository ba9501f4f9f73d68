// Writes test/core/fhir/validate/profile/published-structures.ndjson.gz: of each profile and extension that HL7 publishes
// for R4 and R4B its differential, and of each profile of the International Patient Summary its differential and its
// snapshot, so that the tests have this oracle without 270 MB of packages. (The snapshots of the first are among the
// definitions.) Beside it published-examples.ndjson.gz: the resources that the Patient Summary gives as examples of its
// profiles. `--check` compares with the existing files instead.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { RELEASES, installPackages, isDefinition, readPackage } from './definitions/packages.mjs';
import { gzipMember, parseMarked, stringifyMarked } from './definitions/text.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folderOfTests = join(root, 'test/core/fhir/validate/profile');

// Not among the dependencies of scripts/definitions: it depends on packages that are not in this registry.
const PATIENT_SUMMARY = {
  name: 'hl7.fhir.uv.ips',
  version: '2.0.0',
  release: 'r4',
  sha512: '4PWToJ9b1FgXsm9DIvHiU6HO9Z5m75jxk0e0MXOmhFlf2m2slk/d6RoiSYIChKJlvmtJ7GbRftt7PphlwmZcbQ==',
};

/** Members that only readers of the guide need. */
const DROPPED = ['short', 'definition', 'comment', 'requirements', 'alias', 'mapping', 'example'];

function strip(element, keepsExpressions) {
  const stripped = { ...element };
  for (const name of DROPPED) delete stripped[name];
  if (stripped.constraint) {
    stripped.constraint = stripped.constraint.map(({ key, severity, human, expression }) => {
      return keepsExpressions ? { key, severity, human, expression } : { key, severity, human };
    });
  }
  return stripped;
}

function toLine(source, release, resource, hasSnapshot) {
  const { url, version, kind, type, derivation, baseDefinition, differential, snapshot } = resource;
  return stringifyMarked({
    source,
    release,
    structure: {
      resourceType: 'StructureDefinition',
      ...{ url, version, kind, type, derivation, baseDefinition },
      differential: { element: differential.element.map((element) => strip(element, hasSnapshot)) },
      ...(hasSnapshot
        ? { snapshot: { element: snapshot.element.map((element) => strip(element, hasSnapshot)) } }
        : {}),
    },
  });
}

const isConstraint = (resource) =>
  resource.resourceType === 'StructureDefinition' &&
  resource.derivation === 'constraint' &&
  resource.differential;

/** The structures of the Patient Summary, then its examples. */
function* readPatientSummary() {
  const { name, version, sha512 } = PATIENT_SUMMARY;
  const folder = mkdtempSync(join(tmpdir(), 'andiron-package-'));
  try {
    execFileSync('npm', ['pack', '--silent', `${name}@${version}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const packed = `${name}-${version}.tgz`;
    const digest = createHash('sha512')
      .update(readFileSync(join(folder, packed)))
      .digest('base64');
    if (digest !== sha512) throw new Error(`${packed} is not the file that was published`);
    execFileSync('tar', ['xzf', packed], { cwd: folder });
    const content = join(folder, 'package');
    for (const entry of readdirSync(content).sort()) {
      if (entry.startsWith('StructureDefinition-'))
        yield parseMarked(readFileSync(join(content, entry), 'utf8'));
    }
    const examples = join(content, 'example');
    for (const entry of readdirSync(examples).sort()) {
      // Narratives do not affect profiles.
      const { text, ...resource } = parseMarked(readFileSync(join(examples, entry), 'utf8'));
      yield text === undefined ? resource : { ...resource, text: { status: 'empty', div: EMPTY_NARRATIVE } };
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const EMPTY_NARRATIVE = '<div xmlns="http://www.w3.org/1999/xhtml">-</div>';

installPackages();

const lines = [];
for (const release of RELEASES) {
  for (const { resource } of readPackage(release.definitions)) {
    if (!isConstraint(resource) || !isDefinition(resource, release)) continue;
    lines.push(toLine(release.definitions, release.name, resource, false));
  }
}
const examples = [];
for (const resource of readPatientSummary()) {
  if (isConstraint(resource))
    lines.push(toLine(PATIENT_SUMMARY.name, PATIENT_SUMMARY.release, resource, true));
  else if (resource.resourceType !== 'StructureDefinition') examples.push(stringifyMarked(resource));
}
deliver('published-structures.ndjson.gz', lines);
deliver('published-examples.ndjson.gz', examples);

function deliver(name, members) {
  const file = join(folderOfTests, name);
  const content = `${members.join('\n')}\n`;
  if (process.argv.includes('--check')) {
    if (existsSync(file) && gunzipSync(readFileSync(file)).toString('utf8') === content) return;
    console.error(`${file} differs from the packages; run \`node scripts/build-published-snapshots.mjs\``);
    process.exitCode = 1;
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  const bytes = gzipMember(content, false);
  writeFileSync(file, bytes);
  console.log(`${name}: ${members.length} lines, ${bytes.length} bytes`);
}
