/** Code systems with a name of their own in FHIRPath (http://hl7.org/fhir/R4/fhirpath.html#vars). */
export const PREDEFINED_SYSTEMS: Readonly<Record<string, string>> = {
  ucum: 'http://unitsofmeasure.org',
  sct: 'http://snomed.info/sct',
  loinc: 'http://loinc.org',
};
