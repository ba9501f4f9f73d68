/** What a clinician needs to know of a patient first, on one page that can be printed. */
import { Alert, Anchor, Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Failure } from '../../../api/failure';
import { get } from '../../../api/fhir';
import { isObject, objectsOf, textOf, type JsonObject } from '../../../api/json';
import { searchAll } from '../../../api/many';
import { formatDateTime } from '../../../fhir/format-date';
import { measuresOf } from '../../../fhir/measures';
import { useHeadline } from '../../../fhir/render/use-names';
import { dangerOf, SUMMARY, summaryCell, type SummarySection } from '../../../fhir/summary';
import { IconPrinter } from '../../../layout/icons/icons';
import { Loaded } from '../../../layout/loaded';
import print from '../../../layout/print.module.css';
import { RecordTable, type RecordColumn } from '../../../layout/record-table';
import { fhirPath, resourcePath, type Space } from '../../../place';
import { texts } from '../../../texts';
import { MeasureTable } from '../charts/measure-table';

const { summary: words } = texts;

/** What the searches of a section have found. */
interface FilledSection extends SummarySection {
  readonly records: readonly JsonObject[];
  readonly hasMore: boolean;
  /** How many records the searches have found. */
  readonly newest: number;
  /** True: the last value of each code is among the records, however old it is. */
  readonly hasLasts: boolean;
  /** Types that the reader may not see. */
  readonly refused: readonly string[];
}

/** The last of each code; undefined: the server refuses, because there are too many to choose from. */
async function readLasts(
  space: Space,
  criteria: string,
  signal: AbortSignal,
): Promise<readonly JsonObject[] | undefined> {
  try {
    const { value } = await get(space, `Observation/$lastn?${criteria}`, signal);
    return objectsOf(value['entry']).flatMap(({ resource }) => (isObject(resource) ? [resource] : []));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** All sections, by one GraphQL document, and by `$lastn` what it does not reach. */
async function readSummary(
  space: Space,
  patient: string,
  signal: AbortSignal,
): Promise<readonly FilledSection[]> {
  const searches = SUMMARY.flatMap((section) => section.searches);
  const pages = await searchAll(
    space,
    searches.map(({ type, query, first }) => ({ type, query: `patient=Patient/${patient}&${query}`, first })),
    signal,
  );
  const filled = SUMMARY.map(async (section): Promise<FilledSection> => {
    const own = section.searches.map((search) => ({ search, page: pages[searches.indexOf(search)] }));
    const newest = own.flatMap(({ page }) => page?.records ?? []);
    const hasMore = own.some(({ page }) => page?.next !== undefined);
    const lasts =
      hasMore && section.lasts !== undefined
        ? await readLasts(space, `patient=Patient/${patient}&${section.lasts}`, signal)
        : undefined;
    const found = new Set(newest.map(addressOf));
    return {
      ...section,
      records: [...newest, ...(lasts ?? []).filter((record) => !found.has(addressOf(record)))],
      newest: newest.length,
      hasLasts: lasts !== undefined,
      hasMore,
      refused: own.filter(({ page }) => page?.isRefused ?? true).map(({ search }) => search.type),
    };
  });
  return Promise.all(filled);
}

export interface SummaryTabProps {
  readonly space: Space;
  /** Of the patient. */
  readonly id: string;
}

export default function SummaryTab({ space, id }: SummaryTabProps) {
  const query = useQuery({
    queryKey: ['summary', space, id],
    queryFn: ({ signal }) => readSummary(space, id, signal),
  });
  return (
    <Loaded query={query}>
      {(sections) => (
        <Stack gap="lg">
          <Group className={print['screen'] ?? ''}>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPrinter size={14} aria-hidden />}
              onClick={() => window.print()}
            >
              {words.print}
            </Button>
          </Group>
          <Text size="sm" className={print['paper'] ?? ''}>
            {words.printed(formatDateTime(new Date().toISOString()))}
          </Text>
          {sections.map((section) => (
            <SectionView key={section.name} space={space} id={id} section={section} />
          ))}
        </Stack>
      )}
    </Loaded>
  );
}

interface SectionProps extends SummaryTabProps {
  readonly section: FilledSection;
}

function SectionView({ space, id, section }: SectionProps) {
  const { name, searches, newest, hasMore, hasLasts, refused, columns } = section;
  const bounded = hasLasts ? words.boundedWithLasts : words.boundedValues;
  const title = words.sections[name];
  return (
    <section aria-label={title} className={print['whole']}>
      <Group justify="space-between" mb={4}>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Group gap="sm" className={print['screen'] ?? ''}>
          {searches.map(({ type }) => (
            <Anchor
              key={type}
              component={Link}
              to={`${fhirPath(space, type)}?patient=Patient/${id}`}
              size="sm"
            >
              {words.all(type)}
            </Anchor>
          ))}
        </Group>
      </Group>
      {refused.length === 0 ? null : (
        <Alert color="orange" p="xs" mb={4}>
          {words.refused(refused.join(', '))}
        </Alert>
      )}
      {refused.length === searches.length ? null : <Rows space={space} section={section} />}
      {hasMore ? (
        <Text size="sm" c="dimmed">
          {columns.length === 0 ? bounded(newest) : words.bounded(newest)}
        </Text>
      ) : null}
    </section>
  );
}

function Rows({ space, section }: { readonly space: Space; readonly section: FilledSection }) {
  const { name, columns, records } = section;
  const measures = columns.length === 0 ? measuresOf(records) : [];
  if ((columns.length === 0 ? measures : records).length === 0)
    return <Text c="dimmed">{words.empty[name]}</Text>;
  if (columns.length === 0) return <MeasureTable measures={measures} caption={words.sections[name]} />;
  const named: RecordColumn<JsonObject> = {
    title: words.columns.name,
    cell: (record) => <NameCell space={space} record={record} />,
  };
  return (
    <RecordTable
      rows={records}
      caption={words.sections[name]}
      look={{ verticalSpacing: 4 }}
      minWidth={420}
      keyOf={(record) => addressOf(record)}
      columns={[
        named,
        ...columns.map((column) => ({
          title: words.columns[column],
          cell: (record: JsonObject) => summaryCell(record, column),
        })),
      ]}
    />
  );
}

const addressOf = (record: JsonObject): string =>
  `${textOf(record['resourceType']) ?? ''}/${textOf(record['id']) ?? ''}`;

/** What a record is, as a link to it. A medication can be another record, whose name is read. */
function NameCell({ space, record }: { readonly space: Space; readonly record: JsonObject }) {
  const headline = useHeadline(space, record);
  const danger = dangerOf(record);
  return (
    <>
      <Anchor
        component={Link}
        to={resourcePath(space, textOf(record['resourceType']) ?? '', textOf(record['id']) ?? '')}
        size="sm"
      >
        {headline ?? addressOf(record)}
      </Anchor>
      {danger === undefined ? null : (
        <Badge color="red" variant="filled" size="sm" ml={8} tt="none">
          {words.danger[danger]}
        </Badge>
      )}
    </>
  );
}
