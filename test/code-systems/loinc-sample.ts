/** A release of LOINC in its format; codes and terms are invented. */
import type { Files } from './samples';

const csv = (...rows: readonly (readonly string[])[]): string =>
  `\uFEFF${rows.map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(',')).join('\r\n')}\r\n`;

const TERMS = [
  ...['LOINC_NUM', 'COMPONENT', 'PROPERTY', 'TIME_ASPCT', 'SYSTEM', 'SCALE_TYP', 'METHOD_TYP', 'CLASS'],
  ...['VersionLastChanged', 'DefinitionDescription', 'STATUS', 'CONSUMER_NAME', 'CLASSTYPE', 'SHORTNAME'],
  ...['ORDER_OBS', 'EXTERNAL_COPYRIGHT_NOTICE', 'LONG_COMMON_NAME', 'EXAMPLE_UCUM_UNITS', 'DisplayName'],
];
const VARIANT = [
  ...['LOINC_NUM', 'COMPONENT', 'PROPERTY', 'TIME_ASPCT', 'SYSTEM', 'SCALE_TYP', 'METHOD_TYP', 'CLASS'],
  ...['SHORTNAME', 'LONG_COMMON_NAME', 'RELATEDNAMES2', 'LinguisticVariantDisplayName'],
];

export const LOINC: Files = {
  'LoincTable/Loinc.csv': csv(
    TERMS,
    [
      ...['99991-1', 'Sparkle', 'MCnc', 'Pt', 'Unicorn', 'Qn', '', 'CHEM', '2.79', 'How much it "sparkles"'],
      ...['ACTIVE', 'Sparkle', '1', 'Sparkle Uni-mCnc', 'Both', '', 'Sparkle [Mass/volume] in Unicorn'],
      ...['mg/dL', 'Sparkle (Unicorn) [Mass/Vol]'],
    ],
    [
      ...['99992-9', 'Glitter', 'MCnc', 'Pt', 'Unicorn', 'Qn', 'Eye', 'CHEM', '2.80', '', 'DEPRECATED', ''],
      ...['1', 'Glitter Uni-mCnc', 'Both', '(c) Somebody', 'Glitter [Mass/volume] in Unicorn', '', ''],
    ],
  ),
  'AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv': csv(
    ['PATH_TO_ROOT', 'SEQUENCE', 'IMMEDIATE_PARENT', 'CODE', 'CODE_TEXT'],
    ['', '1', '', 'LP99900-1', 'Unicorn laboratory'],
    ['LP99900-1', '1', 'LP99900-1', 'LP99901-9', 'Shine'],
    ['LP99900-1', '2', 'LP99900-1', 'LP99902-7', 'Light'],
    ['LP99900-1.LP99901-9', '1', 'LP99901-9', '99991-1', 'Sparkle Uni-mCnc'],
    ['LP99900-1.LP99902-7', '1', 'LP99902-7', '99991-1', 'Sparkle Uni-mCnc'],
  ),
  'AccessoryFiles/AnswerFile/AnswerList.csv': csv(
    ['AnswerListId', 'AnswerListName', 'AnswerStringId', 'SequenceNumber', 'DisplayText'],
    ['LL9990-1', 'Sparkles', 'LA99990-4', '1', 'It sparkles'],
    ['LL9991-9', 'Sparkles, again', 'LA99990-4', '1', 'It sparkles'],
  ),
  'AccessoryFiles/ConsumerName/ConsumerName.csv': csv(
    ['LoincNumber', 'ConsumerName'],
    ['99991-1', 'Sparkle'],
    ['99992-9', 'Glitter, any'],
  ),
  'AccessoryFiles/PanelsAndForms/Loinc.csv': csv(TERMS),
  'AccessoryFiles/LinguisticVariants/LinguisticVariants.csv': csv(
    ['ID', 'ISO_LANGUAGE', 'ISO_COUNTRY', 'LANGUAGE_NAME', 'PRODUCER'],
    ['24', 'de', 'AT', 'German (Austria)', 'Nobody'],
  ),
  'AccessoryFiles/LinguisticVariants/deAT24LinguisticVariant.csv': csv(
    VARIANT,
    [
      ...['99991-1', 'Glanz', 'MKonz', 'Zpkt', 'Einhorn', 'Qn', '', '', 'Glanz Einh'],
      ...['Glanz [Masse/Volumen] in Einhorn', '', ''],
    ],
    ['99992-9', 'Glitzer', 'MKonz', 'Zpkt', 'Einhorn', 'Qn', 'Auge', '', '', '', '', ''],
  ),
};
