/** http://hl7.org/fhirpath/N1/#environment-variables and http://hl7.org/fhir/R4/fhirpath.html#vars */
import { NEEDS, unsupported, type Compiled, type Scope } from './compiled';
import type { PathSyntax } from './syntax';
import { PREDEFINED_SYSTEMS } from '../terminology/predefined-systems';
import { SYSTEM_NODES } from './type-node';
import { single, type PathNodes } from './value';

const PREFIXES: Readonly<Record<string, string>> = {
  'vs-': 'http://hl7.org/fhir/ValueSet/',
  'ext-': 'http://hl7.org/fhir/StructureDefinition/',
};
const OF_SCOPE: Readonly<Record<string, (scope: Scope) => PathNodes>> = {
  resource: (scope) => scope.resource,
  rootResource: (scope) => scope.rootResource,
  context: (scope) => scope.context,
};

export function compileVariable(name: string, syntax: PathSyntax): Compiled {
  const ofScope = Object.hasOwn(OF_SCOPE, name) ? OF_SCOPE[name] : undefined;
  if (ofScope) {
    const needs = name === 'context' ? NEEDS.evaluation : NEEDS.resource;
    return { run: (_focus, scope) => ofScope(scope), nodes: undefined, needs };
  }
  const text = constantOf(name);
  if (text === undefined) throw unsupported(`%${name}`, syntax);
  const nodes = single(text, 'String');
  return { run: () => nodes, nodes: [SYSTEM_NODES.String], needs: 0 };
}

function constantOf(name: string): string | undefined {
  if (Object.hasOwn(PREDEFINED_SYSTEMS, name)) return PREDEFINED_SYSTEMS[name];
  for (const [prefix, url] of Object.entries(PREFIXES))
    if (name.startsWith(prefix)) return url + name.slice(prefix.length);
  return undefined;
}
