// Reads the official packages, and divides their resources into definitions and examples.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minifyJson, parseMarked } from './text.mjs';

const here = dirname(fileURLToPath(import.meta.url));

export const RELEASES = [
  {
    name: 'r4',
    fhirVersion: '4.0.1',
    definitions: 'hl7.fhir.r4.examples',
    examples: 'hl7.fhir.r4.examples',
    expansions: 'hl7.fhir.r4.expansions',
  },
  {
    name: 'r4b',
    fhirVersion: '4.3.0',
    // The examples package of R4B lacks the search parameters.
    definitions: 'hl7.fhir.r4b.core',
    examples: 'hl7.fhir.r4b.examples',
    expansions: 'hl7.fhir.r4b.expansions',
  },
];

/** Installs missing packages beside this file. */
export function installPackages() {
  if (existsSync(join(here, 'node_modules', 'hl7.fhir.r4b.core', 'package.json'))) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' });
}

/** Yields every resource of a package, in the order of the file names: `{ file, text, resource }`. */
export function* readPackage(name) {
  const folder = join(here, 'node_modules', name);
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.json') || file === 'package.json') continue;
    const text = readFileSync(join(folder, file), 'utf8').replace(/^\ufeff/, '');
    const resource = parseMarked(text);
    if (typeof resource.resourceType === 'string') yield { file, text: minifyJson(text), resource };
  }
}

const isOfTheSpecification = (url) => url.startsWith('http://hl7.org/fhir/') && !/\/example(-|$)/.test(url);
const isTerminology = (url) => isOfTheSpecification(url) || url.startsWith('http://terminology.hl7.org/');

/** The load rule: true for resources that define the release, and false for examples. */
const LOAD_RULES = {
  StructureDefinition: (resource, release) =>
    isOfTheSpecification(resource.url) &&
    resource.snapshot !== undefined &&
    resource.kind !== 'logical' &&
    resource.fhirVersion === release.fhirVersion,
  SearchParameter: (resource) => isOfTheSpecification(resource.url) && resource.base !== undefined,
  OperationDefinition: (resource) => isOfTheSpecification(resource.url),
  CompartmentDefinition: (resource) => isOfTheSpecification(resource.url),
  ValueSet: (resource) => isTerminology(resource.url),
  // Code systems of other owners (DICOM, ASTM …) are in the package because value sets of the specification use them.
  CodeSystem: (resource) => !/\/example(-|$)/.test(resource.url),
  // The examples among the concept maps are called 101, 102, 103 and example2.
  ConceptMap: (resource) => isOfTheSpecification(resource.url) && /\/(cm|sc)-/.test(resource.url),
};

const DEFINITION_TYPES = new Set([...Object.keys(LOAD_RULES), 'CapabilityStatement']);

export function isDefinition(resource, release) {
  return LOAD_RULES[resource.resourceType]?.(resource, release) ?? false;
}

/** The bundles in which a package repeats its own definitions (up to 34 MB each) are transport, not examples. */
export function isExample(resource) {
  if (resource.resourceType !== 'Bundle') return true;
  return !(resource.entry ?? []).length || !resource.entry.every((entry) => DEFINITION_TYPES.has(entry.resource?.resourceType));
}
