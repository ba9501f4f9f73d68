/** Releases of SNOMED CT in its format; codes and terms are invented. */
import type { Files } from './samples';

const tabs = (...rows: readonly (readonly string[])[]): string =>
  `${rows.map((row) => row.join('\t')).join('\r\n')}\r\n`;

const CORE = '900000000000012004';
const INTERNATIONAL = '900000000000207008';
const [US, GB] = ['900000000000509007', '900000000000508004'];
const [PREFERRED, ACCEPTABLE] = ['900000000000548007', '900000000000549004'];
const [FSN, SYNONYM] = ['900000000000003001', '900000000000013009'];
const [DEFINED, PRIMITIVE] = ['900000000000073002', '900000000000074008'];

type Row = readonly string[];

/** @param rows id, active, module, definition */
const concepts = (...rows: readonly Row[]): string =>
  tabs(
    ['id', 'effectiveTime', 'active', 'moduleId', 'definitionStatusId'],
    ...rows.map(([id = '', active = '', ...others]) => [id, '20260101', active, ...others]),
  );
/** @param rows id, active, concept, language, type, term */
const descriptions = (...rows: readonly Row[]): string =>
  tabs(
    [
      ...['id', 'effectiveTime', 'active', 'moduleId', 'conceptId', 'languageCode', 'typeId', 'term'],
      'caseSignificanceId',
    ],
    ...rows.map(([id = '', active = '', ...others]) => [
      ...[id, '20260101', active, INTERNATIONAL, ...others, '900000000000448009'],
    ]),
  );
/** @param rows active, source, destination, group, type */
const relationships = (...rows: readonly Row[]): string =>
  tabs(
    [
      ...['id', 'effectiveTime', 'active', 'moduleId', 'sourceId', 'destinationId', 'relationshipGroup'],
      ...['typeId', 'characteristicTypeId', 'modifierId'],
    ],
    ...rows.map(([active = '', ...others], index) => [
      ...[`${index + 1}0029`, '20260101', active, INTERNATIONAL, ...others],
      ...['900000000000011006', '900000000000451002'],
    ]),
  );
/** @param rows reference set, description, acceptability */
const language = (...rows: readonly Row[]): string =>
  tabs(
    [
      ...['id', 'effectiveTime', 'active', 'moduleId', 'refsetId', 'referencedComponentId'],
      'acceptabilityId',
    ],
    ...rows.map(([refset = '', description = '', acceptability = ''], index) => [
      ...[`00000000-0000-4000-8000-${String(index).padStart(12, '0')}`, '20260101', '1', INTERNATIONAL],
      ...[refset, description, acceptability],
    ]),
  );

const TERMINOLOGY = 'Snapshot/Terminology';
const REFSET = 'Snapshot/Refset';

/** Colours of unicorns; `999000000` and above are no identifiers of SNOMED CT. */
export const SNOMED: Files = {
  [`${TERMINOLOGY}/sct2_Concept_Snapshot_INT_20260101.txt`]: concepts(
    ['999000000', '1', INTERNATIONAL, PRIMITIVE],
    ['999000001', '1', INTERNATIONAL, PRIMITIVE],
    ['999000002', '1', INTERNATIONAL, DEFINED],
    ['999000003', '0', CORE, PRIMITIVE],
    ['999000009', '1', CORE, PRIMITIVE],
  ),
  [`${TERMINOLOGY}/sct2_Description_Snapshot-en_INT_20260101.txt`]: descriptions(
    ['9990000011', '1', '999000000', 'en', FSN, 'Unicorn (creature)'],
    ['9990000012', '1', '999000000', 'en', SYNONYM, 'Unicorn'],
    ['9990000021', '1', '999000001', 'en', FSN, 'Gray unicorn (creature)'],
    ['9990000022', '1', '999000001', 'en', SYNONYM, 'Grey unicorn'],
    ['9990000023', '1', '999000001', 'en', SYNONYM, 'Gray unicorn'],
    ['9990000024', '1', '999000001', 'en', SYNONYM, 'A 5" gray "unicorn'],
    ['9990000025', '0', '999000001', 'en', SYNONYM, 'Withdrawn term'],
    ['9990000031', '1', '999000002', 'en', FSN, 'Gray unicorn with horn (creature)'],
    ['9990000041', '1', '999000003', 'en', FSN, 'Old unicorn (creature)'],
    ['9990000091', '1', '999000009', 'en', FSN, 'Has part (attribute)'],
  ),
  [`${TERMINOLOGY}/sct2_Relationship_Snapshot_INT_20260101.txt`]: relationships(
    ['1', '999000001', '999000000', '0', '116680003'],
    ['1', '999000002', '999000001', '0', '116680003'],
    ['1', '999000002', '999000003', '1', '999000009'],
    ['1', '999000002', '999000003', '2', '999000009'],
    ['0', '999000003', '999000000', '0', '116680003'],
  ),
  [`${TERMINOLOGY}/sct2_StatedRelationship_Snapshot_INT_20260101.txt`]: 'not read',
  [`Full/Terminology/sct2_Concept_Full_INT_20260101.txt`]: 'not read',
  [`${REFSET}/Language/der2_cRefset_LanguageSnapshot-en_INT_20260101.txt`]: language(
    [US, '9990000012', PREFERRED],
    [GB, '9990000012', PREFERRED],
    [GB, '9990000022', PREFERRED],
    [US, '9990000022', ACCEPTABLE],
    [US, '9990000023', PREFERRED],
    [GB, '9990000023', ACCEPTABLE],
    [US, '9990000024', ACCEPTABLE],
  ),
};

/** The namespace 1000999 is nobody's. */
const [NATIONAL, NATIONAL_BASE] = ['551000999104', '441000999108'];
const NATIONAL_REFSET = '661000999101';

/** An extension in Swedish, with its own module, in the folder of the International Edition. */
export const SNOMED_NATIONAL: Files = {
  ...SNOMED,
  'National/sct2_Concept_Snapshot_XX1000999_20260315.txt': concepts(
    [NATIONAL_BASE, '1', NATIONAL_BASE, PRIMITIVE],
    [NATIONAL, '1', NATIONAL_BASE, PRIMITIVE],
    ['771000999107', '1', NATIONAL, PRIMITIVE],
  ),
  'National/sct2_Description_Snapshot-sv_XX1000999_20260315.txt': descriptions(
    ['8810009991', '1', '999000001', 'sv', SYNONYM, 'grå enhörning'],
    ['8810009992', '1', '999000001', 'sv', SYNONYM, 'gråskimrande enhörning'],
    ['8810009993', '1', '771000999107', 'sv', SYNONYM, 'svensk enhörning'],
  ),
  'National/sct2_Relationship_Snapshot_XX1000999_20260315.txt': relationships([
    ...['1', '771000999107', '999000000', '0', '116680003'],
  ]),
  'National/der2_cRefset_LanguageSnapshot-sv_XX1000999_20260315.txt': language(
    [NATIONAL_REFSET, '8810009992', ACCEPTABLE],
    [NATIONAL_REFSET, '8810009991', PREFERRED],
    [NATIONAL_REFSET, '8810009993', PREFERRED],
  ),
  'National/der2_ssRefset_ModuleDependencySnapshot_XX1000999_20260315.txt': tabs(
    [
      ...['id', 'effectiveTime', 'active', 'moduleId', 'refsetId', 'referencedComponentId'],
      ...['sourceEffectiveTime', 'targetEffectiveTime'],
    ],
    [
      ...['00000000-0000-4000-8000-000000000001', '20260315', '1', NATIONAL, '900000000000534007'],
      ...[NATIONAL_BASE, '20260315', '20260315'],
    ],
  ),
};
