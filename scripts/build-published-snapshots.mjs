// Writes test/core/fhir/validate/profile/published-structures.ndjson.gz: of each profile and extension that HL7 publishes
// for R4 and R4B its differential, and of each profile of the International Patient Summary its differential and its
// snapshot, so that the tests have this oracle without 270 MB of packages. (The snapshots of the first are among the
// definitions.) `--check` compares with what is there instead.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { RELEASES, installPackages, isDefinition, readPackage } from './definitions/packages.mjs';
import { gzipMember, parseMarked, stringifyMarked } from './definitions/text.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const file = join(root, 'test/core/fhir/validate/profile/published-structures.ndjson.gz');

// Not among the dependencies of scripts/definitions: it depends on packages that this registry does not have.
const PATIENT_SUMMARY = {
  name: 'hl7.fhir.uv.ips',
  version: '2.0.0',
  release: 'r4',
  sha512: '4PWToJ9b1FgXsm9DIvHiU6HO9Z5m75jxk0e0MXOmhFlf2m2slk/d6RoiSYIChKJlvmtJ7GbRftt7PphlwmZcbQ==',
};

/** What only a reader of the guide needs. */
const DROPPED = ['short', 'definition', 'comment', 'requirements', 'alias', 'mapping', 'example'];

function strip(element) {
  const stripped = { ...element };
  for (const name of DROPPED) delete stripped[name];
  if (stripped.constraint) {
    stripped.constraint = stripped.constraint.map(({ key, severity, human }) => ({ key, severity, human }));
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
      differential: { element: differential.element.map(strip) },
      ...(hasSnapshot ? { snapshot: { element: snapshot.element.map(strip) } } : {}),
    },
  });
}

const isConstraint = (resource) =>
  resource.resourceType === 'StructureDefinition' && resource.derivation === 'constraint' && resource.differential;

function* readPatientSummary() {
  const { name, version, sha512 } = PATIENT_SUMMARY;
  const folder = mkdtempSync(join(tmpdir(), 'andiron-package-'));
  try {
    execFileSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const packed = `${name}-${version}.tgz`;
    const digest = createHash('sha512').update(readFileSync(join(folder, packed))).digest('base64');
    if (digest !== sha512) throw new Error(`${packed} is not the file that was published`);
    execFileSync('tar', ['xzf', packed], { cwd: folder });
    const content = join(folder, 'package');
    for (const entry of readdirSync(content).sort()) {
      if (entry.startsWith('StructureDefinition-')) yield parseMarked(readFileSync(join(content, entry), 'utf8'));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

installPackages();

const lines = [];
for (const release of RELEASES) {
  for (const { resource } of readPackage(release.definitions)) {
    if (!isConstraint(resource) || !isDefinition(resource, release)) continue;
    lines.push(toLine(release.definitions, release.name, resource, false));
  }
}
for (const resource of readPatientSummary()) {
  if (isConstraint(resource)) lines.push(toLine(PATIENT_SUMMARY.name, PATIENT_SUMMARY.release, resource, true));
}
const content = `${lines.join('\n')}\n`;
if (process.argv.includes('--check')) {
  if (!existsSync(file) || gunzipSync(readFileSync(file)).toString('utf8') !== content) {
    console.error(`${file} is not what the packages give; run \`node scripts/build-published-snapshots.mjs\``);
    process.exit(1);
  }
} else {
  mkdirSync(dirname(file), { recursive: true });
  const bytes = gzipMember(content, false);
  writeFileSync(file, bytes);
  console.log(`${lines.length} structures, ${bytes.length} bytes`);
}
