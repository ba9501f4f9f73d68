// OperationDefinitions; members that are missing in R4 come from R4B.
const PROFILE = 'http://hl7.org/fhir/StructureDefinition/';

/** R4 has no `affectsState`: the value of the same operation in the newer release counts; unknown means true. */
export function buildOperations(definitions, newestDefinitions) {
  const newest = new Map(newestDefinitions.map((definition) => [definition.id, definition]));
  return definitions.map((definition) => ({
    id: definition.id,
    code: definition.code,
    url: definition.url,
    kind: definition.kind,
    system: definition.system === true,
    type: definition.type === true,
    instance: definition.instance === true,
    resources: definition.resource ?? [],
    affectsState: definition.affectsState ?? newest.get(definition.id)?.affectsState ?? true,
    parameters: (definition.parameter ?? []).map(buildParameter),
  }));
}

function buildParameter(parameter) {
  return {
    name: parameter.name,
    use: parameter.use,
    min: parameter.min,
    max: parameter.max === '*' ? '*' : Number(parameter.max),
    ...(parameter.type ? { type: parameter.type } : {}),
    ...(parameter.searchType ? { searchType: parameter.searchType } : {}),
    ...(parameter.targetProfile ? { targets: parameter.targetProfile.map((url) => url.replace(PROFILE, '')) } : {}),
    ...(parameter.part ? { parts: parameter.part.map((part) => buildParameter({ use: parameter.use, ...part })) } : {}),
  };
}
