// Constraints and bindings: seven thousand elements use a few hundred different ones, so that each is stored once and
// referred to by its index.

const MAX_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet';
/** An example binding allows anything. */
const STRENGTHS = ['required', 'extensible', 'preferred'];

/** Finds rules in the definitions of a release. Input: its StructureDefinitions, profiles included. */
export function createRules(structures) {
  const constraints = createTable();
  const bindings = createTable();
  const roots = new Map();
  const profiles = new Map();
  for (const definition of structures) {
    const [root] = definition.snapshot.element;
    if (definition.derivation === 'constraint') profiles.set(definition.url, root);
    else roots.set(definition.type, root);
  }
  const keysOf = (element) => (element?.constraint ?? []).map(({ key }) => key);

  /** Returns the indexes of the constraints, without those that have one of the keys. */
  const indexesOf = (constraint, without) => {
    const used = (constraint ?? []).filter(({ key }) => !without.has(key)).map(toConstraint);
    return used.map(constraints.indexOf);
  };

  return {
    constraints: constraints.values,
    bindings: bindings.values,

    /** Returns the rules of a type as a whole, including inherited ones. */
    ofType: ({ constraint }) => indexesOf(constraint, new Set()),

    /**
     * Returns the rules of an element, without those that all of its types have. `target` is the element of a contentReference:
     * all of its rules hold here too (elementdefinition.html#ElementDefinition.contentReference).
     */
    ofElement(element, target) {
      const [first, ...others] = (element.type ?? target?.type ?? []).map(({ code }) => new Set(keysOf(roots.get(code))));
      const inherited = new Set([...(first ?? [])].filter((key) => others.every((keys) => keys.has(key))));
      const own = new Set(indexesOf(element.constraint, inherited));
      for (const index of indexesOf(target?.constraint, inherited)) own.add(index);
      return [...own];
    },

    /** Returns the rules that profiles of the specification add to a type; the only one is SimpleQuantity. */
    ofTypeProfiles({ code, profile = [] }) {
      const inherited = new Set(keysOf(roots.get(code)));
      return profile.flatMap((url) => indexesOf(profiles.get(url).constraint, inherited));
    },

    /** Returns the index of the binding of an element; undefined without one, or for an example binding. */
    ofBinding({ binding }) {
      if (!binding?.valueSet || !STRENGTHS.includes(binding.strength)) return undefined;
      const max = binding.extension?.find(({ url }) => url === MAX_VALUE_SET)?.valueCanonical;
      return bindings.indexOf({
        valueSet: binding.valueSet,
        strength: binding.strength,
        ...(max ? { max } : {}),
      });
    },
  };
}

function toConstraint({ key, severity, human, expression }) {
  return { key, ...(severity === 'warning' ? { warning: true } : {}), human, expression };
}

function createTable() {
  const values = [];
  const known = new Map();
  return {
    values,
    indexOf(value) {
      const text = JSON.stringify(value);
      let index = known.get(text);
      if (index === undefined) {
        index = values.push(value) - 1;
        known.set(text, index);
      }
      return index;
    },
  };
}
