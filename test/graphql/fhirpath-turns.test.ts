/** Expressions on many elements let others have their turn in between: `fhirpath` arguments and `@slice`. */
import { FilterAllowance, filterElements } from '../../src/core';
import type { FieldGroup } from '../../src/gateway/shaping/field-groups';
import { SOURCE_FIELD } from '../../src/gateway/execution/compile';
import { SliceNames } from '../../src/gateway/shaping/slice-names';
import { turnsDuring } from '../support/turns-during';

/** Some 4,000 steps each, and 50,000 are evaluated at once. */
const ELEMENTS = Array.from({ length: 100 }, (_, index) => ({
  family: `f${index}`,
  given: Array.from({ length: 500 }, (_value, at) => `g${at}`),
}));

it('between the elements of a fhirpath argument', async () => {
  const expression = "given.where(startsWith('g9')).count() > 1";
  const turns = await turnsDuring(async () => {
    const of = { release: 'r4', place: 'HumanName', expression } as const;
    const found = await filterElements(ELEMENTS, of, new FilterAllowance());
    expect(found).toHaveLength(100);
  });
  expect(turns).toBeGreaterThan(2);
});

it('between the elements of a @slice', async () => {
  const group: FieldGroup = {
    name: 'name',
    nodes: [],
    type: undefined,
    isLeaf: false,
    isRepeating: true,
    isFlat: false,
    isFirst: false,
    isSingle: false,
    slice: undefined,
  };
  const slice = {
    kind: 'expression',
    release: 'r4',
    place: 'HumanName',
    expression: "family & given.where(startsWith('g9')).first()",
  } as const;
  const names = new SliceNames();
  const elements = ELEMENTS.map((element) => ({ [SOURCE_FIELD]: element, ...element }));
  const read = (): unknown[] => elements.map((element) => names.of(group, slice, element));
  expect(new Set(read())).toEqual(new Set(['']));
  const turns = await turnsDuring(async () => expect(await names.find()).toBe(true));
  expect(turns).toBeGreaterThan(2);
  expect(read().slice(0, 2)).toEqual(['f0g9', 'f1g9']);
  expect(await names.find()).toBe(false);
});
